import type { BuildingClient, FaultRecord } from '@storey/sdk'

const PAGE = { active: true, limit: 200 }
/** Of a building with more active faults, only the newest are marked. */
const MAX_FAULTS = 1000

/** The newest active faults, and how many there are. Most buildings need one request. */
export async function readActiveFaults(
  { faults }: Pick<BuildingClient, 'faults'>,
  signal: AbortSignal,
): Promise<{ rows: FaultRecord[]; total: number }> {
  const { data: rows, total } = await faults.list(PAGE, { signal })
  while (rows.length < Math.min(total, MAX_FAULTS)) {
    const { data } = await faults.list({ ...PAGE, offset: rows.length }, { signal })
    if (data.length === 0) break
    rows.push(...data)
  }
  return { rows, total }
}
