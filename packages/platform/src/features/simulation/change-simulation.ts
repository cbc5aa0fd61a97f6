import { type InjectedRecord, problems, type SimulationOrder, type SimulationRecord } from '@storey/contract'
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
  writeCourse,
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
  const { course } = stored
  const hereMs = simulatedAt(course, clock.now().getTime())
  const record = {
    running: course.running,
    speed: course.speed,
    startedAt: course.startedMs === null ? null : new Date(course.startedMs).toISOString(),
    simulatedAt: new Date(hereMs).toISOString(),
    faults: (await listFaults(db, buildingId, hereMs)).map(toRecord),
  } satisfies SimulationRecord
  return withVersion(record, versionIn(stored))
}

/** Each order changes the version; simulated time does not. */
const versionIn = (stored: StoredSimulation | undefined) => (stored === undefined ? 'none' : String(stored.version))

const NEVER_STARTED: SimulationRecord = { running: false, speed: 1, startedAt: null, simulatedAt: null, faults: [] }

/** Starts, stops or changes the speed of the simulation. A command that matches the current state changes nothing. */
export async function changeSimulation(
  parts: SimulationParts,
  buildingId: string,
  order: SimulationOrder,
  precondition: Precondition,
) {
  if (!isUuid(buildingId)) throw problems.notFound('building')
  await parts.db.transaction(async (tx) => {
    const model = await lockModel(tx, buildingId)
    if (model === undefined) throw problems.notFound('building')
    if (model === null) {
      const detail =
        'This building has no model to go on from: it was not generated here, or before there was a simulator'
      throw problems.conflict('buildingId', detail)
    }
    const stored = await lockSimulation(tx, buildingId)
    precondition.check(versionIn(stored))
    const before = stored?.course
    const after = afterCommand(before, order, parts.clock.now().getTime())
    if (after !== before) await writeCourse(tx, buildingId, after)
  })
  return readSimulationRecord(parts, buildingId)
}

export function toRecord({ id, fault, nodeId, startMs, endMs }: StoredFault): InjectedRecord {
  return { id, fault, nodeId, startsAt: new Date(startMs).toISOString(), endsAt: new Date(endMs).toISOString() }
}
