import type { BuildingClient, PointRecord } from '@storey/sdk'
import { CliError } from '../../errors.ts'

/** Finds a point by its id, or by its code or name if that is unique. */
export async function findPoint(building: BuildingClient, reference: string): Promise<PointRecord> {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(reference)) return await building.points.get(reference)
  const folded = reference.toLowerCase()
  const found: PointRecord[] = []
  for await (const point of building.points.listAll()) {
    if (point.code.toLowerCase() === folded || point.name.toLowerCase() === folded) found.push(point)
  }
  if (found.length === 1) return found[0]!
  if (found.length === 0) {
    throw new CliError(`No point has the id, code or name "${reference}".`, {
      code: 'NO_SUCH_POINT',
      next: "`svc api points --all --jq '.data[] | [.id, .code, .name] | @tsv'` lists the points.",
    })
  }
  const some = found.slice(0, 5).map(({ code }) => code)
  throw new CliError(`${found.length} points are called "${reference}".`, {
    code: 'WHICH_POINT',
    next: `Use a code such as ${some.join(', ')}, or an id.`,
  })
}
