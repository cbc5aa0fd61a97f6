import type { SimulationRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useShell } from '../app/shell.ts'

/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 20_000

/** The state of the simulation, and when it was read. If the simulation runs, its time has advanced since then. */
export interface ReadSimulation {
  record: SimulationRecord
  readAt: number
}

export function useSimulation(): Loading<ReadSimulation> {
  const { api } = useShell()
  const read = async (signal: AbortSignal) => ({ record: await api.simulation.get({ signal }), readAt: Date.now() })
  return useLoad(['simulation', api.buildingId], read, { pollMs: () => POLL_MS, changes: 'simulation', isCached: true })
}
