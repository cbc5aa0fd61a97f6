import { type InjectedRecord, problems, type SimulationCommand, type SimulationRecord } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { type Precondition, withVersion } from '@storey/kit/http'
import { buildingExists, isUuid } from '../../graph/index.ts'
import { afterCommand, simulatedAt } from './simulated-time.ts'
import {
  listFaults,
  lockModel,
  lockSimulation,
  readSimulation,
  type StoredFault,
  type StoredSimulation,
  writeState,
} from './simulation.store.ts'

export interface SimulationParts {
  db: Database
  clock: Clock
}

export async function readSimulationRecord({ db, clock }: SimulationParts, buildingId: string) {
  if (!isUuid(buildingId)) throw problems.notFound('building')
  const stored = await readSimulation(db, buildingId)
  if (!stored && !(await buildingExists(db, buildingId))) throw problems.notFound('building')
  if (!stored) return withVersion({ ...NEVER_STARTED }, versionIn(undefined))
  const { state } = stored
  const hereMs = simulatedAt(state, clock.now().getTime())
  const record = {
    running: state.running,
    speed: state.speed,
    startedAt: state.startedMs === null ? null : new Date(state.startedMs).toISOString(),
    simulatedAt: new Date(hereMs).toISOString(),
    faults: (await listFaults(db, buildingId, hereMs)).map(toRecord),
  } satisfies SimulationRecord
  return withVersion(record, versionIn(stored))
}

/** Each command changes the version; simulated time does not. */
const versionIn = (stored: StoredSimulation | undefined) => (stored === undefined ? 'none' : String(stored.version))

const NEVER_STARTED: SimulationRecord = { running: false, speed: 1, startedAt: null, simulatedAt: null, faults: [] }

/** Starts, stops or changes the speed of the simulation. A command that matches the current state changes nothing. */
export async function changeSimulation(
  parts: SimulationParts,
  buildingId: string,
  command: SimulationCommand,
  precondition: Precondition,
) {
  if (!isUuid(buildingId)) throw problems.notFound('building')
  await parts.db.transaction(async (tx) => {
    const model = await lockModel(tx, buildingId)
    if (model === undefined) throw problems.notFound('building')
    if (model === null) {
      const detail = 'This building has no model: it was not generated here, or before there was a simulator'
      throw problems.conflict('buildingId', detail)
    }
    const stored = await lockSimulation(tx, buildingId)
    precondition.check(versionIn(stored))
    const before = stored?.state
    const after = afterCommand(before, command, parts.clock.now().getTime())
    if (after !== before) await writeState(tx, buildingId, after)
  })
  return readSimulationRecord(parts, buildingId)
}

export function toRecord({ id, fault, nodeId, startMs, endMs }: StoredFault): InjectedRecord {
  return { id, fault, nodeId, startsAt: new Date(startMs).toISOString(), endsAt: new Date(endMs).toISOString() }
}
