import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Building, fingerprint, generateBuilding, type Storey } from '@storey/building'
import { countOf } from '@storey/contract'
import type { Context } from '../../context.ts'
import { CliError, wrongUsage } from '../../errors.ts'
import { describeSystemError } from '../../output/system-errors.ts'
import { nameValueLines } from '../../output/table.ts'
import { floorPlan } from '../../plan/floor-plan.ts'
import { checkedBody, specOf } from './create-body.ts'
import type { CreateOptions } from './create-options.ts'

/** Generates the building that the service would create. This needs neither the network nor a credential. */
export async function dryRun(context: Context, options: CreateOptions): Promise<void> {
  const building = generateBuilding(specOf(checkedBody(options), newSeed()))
  const storey = storeyFor(building, options.storey)
  const summary = summaryOf(building)
  if (options.out !== undefined) await save(context, options.out, building, summary.fingerprint)
  const { out } = context
  out.answer(summary, () => {
    const facts = nameValueLines(factsOf(building, summary), (text) => out.paint('dim', text))
    const { name, address } = building.building
    const plan = floorPlan(building, storey, { columns: out.columns, style: out.style })
    return [out.paint('bold', name), address, '', ...facts, '', titleOf(building, storey), ...plan].join('\n')
  })
  if (options.out !== undefined) out.hint(`\nWrote the whole building to ${options.out}.`)
  out.hint(`\nTo create this building, use the same options with --seed ${building.spec.seed} and without --dry-run.`)
}

function newSeed(): string {
  return Array.from({ length: 10 }, () => randomInt(36).toString(36)).join('')
}

function summaryOf(building: Building) {
  const { spec, storeys, spaces, elements, points } = building
  const { name, address, areaSqm } = building.building
  const counts = { storeys: storeys.length, spaces: spaces.length, elements: elements.length, points: points.length }
  return { name, address, ...spec, ...counts, areaSqm, fingerprint: fingerprint(building) }
}

function factsOf({ storeys }: Building, summary: ReturnType<typeof summaryOf>): [string, string][] {
  return [
    [
      'building',
      `${summary.buildingType}, ${countOf(summary.storeys, 'storey')} (${storeys.map(({ code }) => code).join(' ')})`,
    ],
    ['area', `${Math.round(summary.areaSqm)} m²`],
    ['rooms', `${summary.spaces} (${summary.spacesMin} to ${summary.spacesMax} a storey)`],
    ['equipment', `${summary.elements} (${summary.equipmentDensity})`],
    ['points', String(summary.points)],
    ['occupancy', summary.occupancyProfile],
    ['seed', summary.seed],
    ['fingerprint', summary.fingerprint],
  ]
}

function titleOf({ spaces }: Building, { key, code, name, areaSqm, plate }: Storey): string {
  const rooms = spaces.filter(({ storeyKey }) => storeyKey === key).length
  const [widthM, depthM] = plate[2]!
  return `${name} (${code}): ${countOf(rooms, 'room')}, ${Math.round(areaSqm)} m², ${widthM} × ${depthM} m`
}

/**
 * The requested storey, by code or number. By default, only the storeys above the ground storey are compared, and the
 * one with the most rooms is used. If there are none, the first storey is used.
 */
function storeyFor({ storeys, spaces }: Building, wanted: string | undefined): Storey {
  if (wanted !== undefined) {
    const found = storeys.find(
      ({ code, index }) => code.toLowerCase() === wanted.toLowerCase() || `${index}` === wanted,
    )
    if (found !== undefined) return found
    throw wrongUsage(`There is no storey ${wanted}.`, `Use one of ${storeys.map(({ code }) => code).join(', ')}.`)
  }
  const rooms = ({ key }: Storey) => spaces.filter(({ storeyKey }) => storeyKey === key).length
  const typical = storeys.filter(({ index }) => index > 0 || storeys.length === 1)
  return [...typical, ...storeys].reduce((best, storey) => {
    return typical.includes(storey) && rooms(storey) > rooms(best) ? storey : best
  })
}

async function save(context: Context, file: string, building: Building, hash: string): Promise<void> {
  try {
    await writeFile(resolve(context.cwd, file), `${JSON.stringify({ fingerprint: hash, ...building }, null, 2)}\n`)
  } catch (cause) {
    throw new CliError(`${file} cannot be written: ${describeSystemError(cause)}.`, {
      code: 'NOT_WRITTEN',
      next: 'Choose another file with --out.',
      cause,
    })
  }
}
