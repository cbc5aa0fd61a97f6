import type { BuildingClient, FaultRecord } from '@storey/sdk'
import { readFaults } from '../faults/read-faults.ts'
import { SEVERITIES } from '../faults/severities.ts'

/** If a building has more active faults, only the most severe ones are marked. */
const MAX_FAULTS = 1000

/**
 * Returns the active faults and their total number. If there are more than `MAX_FAULTS`, only the most severe ones are
 * returned. For most buildings one request is enough.
 */
export async function readActiveFaults(
  api: Pick<BuildingClient, 'faults'>,
  signal: AbortSignal,
): Promise<{ rows: FaultRecord[]; total: number }> {
  const { data: first, total } = await api.faults.list({ active: true, limit: PAGE_SIZE }, { signal })
  if (total <= first.length) return { rows: first, total }
  if (total <= MAX_FAULTS) return await readFaults(api, { active: true, limit: MAX_FAULTS }, signal)
  const rows: FaultRecord[] = []
  for (const severity of SEVERITIES) {
    const limit = MAX_FAULTS - rows.length
    if (limit > 0) rows.push(...(await readFaults(api, { active: true, severity, limit }, signal)).rows)
  }
  return { rows, total }
}

const PAGE_SIZE = 200
