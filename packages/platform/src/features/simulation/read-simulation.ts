import { type InjectedRecord, problems, type SimulationRecord } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { withVersion } from '@storey/kit/http'
import { isUuid } from '../../graph/index.ts'
import { simulatedAt } from './simulated-time.ts'
import { listFaults, readModel, readSimulation, type StoredFault, type StoredSimulation } from './simulation.store.ts'

export interface SimulationParts {
  db: Database
  clock: Clock
}

export async function readSimulationRecord({ db, clock }: SimulationParts, buildingId: string) {
  if (!isUuid(buildingId)) throw problems.notFound('building')
  const stored = await readSimulation(db, buildingId)
  if (!stored) {
    const model = await readModel(db, buildingId)
    if (model === undefined) throw problems.notFound('building')
    return withVersion({ ...NEVER_STARTED, automatic: model !== null }, versionIn(undefined))
  }
  const { state } = stored
  const simulatedMs = simulatedAt(state, clock.now().getTime())
  const record = {
    running: state.running,
    automatic: state.automatic,
    speed: state.speed,
    startedAt: state.startedMs === null ? null : new Date(state.startedMs).toISOString(),
    simulatedAt: new Date(simulatedMs).toISOString(),
    faults: (await listFaults(db, buildingId, simulatedMs)).map(toRecord),
  } satisfies SimulationRecord
  return withVersion(record, versionIn(stored))
}

/**
 * The version changes with every command that changes the state, and with an automatic start or pause. It does not
 * change with the progress of simulated time, or with injected faults.
 */
export const versionIn = (stored: StoredSimulation | undefined) =>
  stored === undefined ? 'none' : String(stored.version)

const NEVER_STARTED: Omit<SimulationRecord, 'automatic'> = {
  running: false,
  speed: 1,
  startedAt: null,
  simulatedAt: null,
  faults: [],
}

export function toRecord({ id, fault, nodeId, startMs, endMs }: StoredFault): InjectedRecord {
  return { id, fault, nodeId, startsAt: new Date(startMs).toISOString(), endsAt: new Date(endMs).toISOString() }
}
