import type { BuildingClient, FaultQuery, FaultRecord } from '@storey/sdk'

/** The maximum page size of the API. */
const PAGE_SIZE = 200

interface Faults {
  rows: FaultRecord[]
  /** How many faults match the query. At most `limit` of them are in `rows`. */
  total: number
}

/** The newest faults, which may be more than one page. */
export async function readFaults(
  { faults }: Pick<BuildingClient, 'faults'>,
  { limit, ...query }: FaultQuery & { limit: number },
  signal: AbortSignal,
): Promise<Faults> {
  const rows = new Map<string, FaultRecord>()
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const size = Math.min(PAGE_SIZE, limit - offset)
    const page = await faults.list({ ...query, limit: size, offset }, { signal })
    // A fault that appears meanwhile moves the others down, so one of them may be on two pages.
    for (const fault of page.data) rows.set(fault.id, fault)
    if (page.data.length < size || offset + size >= limit) return { rows: [...rows.values()], total: page.total }
  }
}
