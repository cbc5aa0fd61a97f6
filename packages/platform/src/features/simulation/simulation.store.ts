import type { BuildingSpec } from '@storey/building'
import type { SimulatedFault } from '@storey/contract'
import {
  holdFor,
  isFreeFor,
  isHeldBy,
  type Lease,
  prepared,
  type Queryable,
  RELEASE,
  type Sql,
  sql,
  type Tx,
} from '@storey/kit/database'
import { noteChange } from '../../change-feed/index.ts'
import type { SimulationState } from './simulated-time.ts'

export interface StoredSimulation {
  state: SimulationState
  version: number
  /** Revision of the building's graph. */
  revision: number
  isMine: boolean
}

type SimulationRow = {
  running: boolean
  automatic: boolean
  speed: number
  startedAt: Date | null
  anchorReal: Date
  anchorSimulated: Date
  sentUntil: Date
  sentReal: Date
  version: number
  revision: number
  isMine: boolean
}

/**
 * The spec of a generated building. Null if there is none: the building was not generated, or by a version without a
 * simulator. Undefined if there is no such building.
 */
export async function readModel(
  db: Queryable,
  buildingId: string,
  lock: Sql = sql``,
): Promise<BuildingSpec | null | undefined> {
  const row = await db.row<{ spec: BuildingSpec | null }>(sql`
    select m.spec from buildings b left join building_models m on m.building_id = b.id where b.id = ${buildingId} ${lock}`)
  return row?.spec
}

/** Locks the building, so that its commands run one after another. */
export const lockModel = (tx: Tx, buildingId: string) => readModel(tx, buildingId, sql`for no key update of b`)

/** Locks the simulation, so that the lease holder waits before it writes its progress. */
export const lockSimulation = (tx: Tx, buildingId: string) => readSimulation(tx, buildingId, null, sql`for update of s`)

export async function readSimulation(
  db: Queryable,
  buildingId: string,
  lease: Lease | null = null,
  lock: Sql = sql``,
): Promise<StoredSimulation | undefined> {
  const row = await db.row<SimulationRow>(sql`
    select s.running, s.automatic, s.speed, s.started_at as "startedAt", s.anchor_real as "anchorReal",
      s.anchor_simulated as "anchorSimulated", s.sent_until as "sentUntil", s.sent_real as "sentReal", s.version,
      b.revision, coalesce(s.lease_holder = ${lease?.holder}::uuid, false) as "isMine"
    from simulations s join buildings b on b.id = s.building_id where s.building_id = ${buildingId}
    ${lock}`)
  if (!row) return undefined
  const state: SimulationState = {
    running: row.running,
    automatic: row.automatic,
    speed: row.speed,
    startedMs: row.startedAt?.getTime() ?? null,
    anchorRealMs: row.anchorReal.getTime(),
    anchorSimulatedMs: row.anchorSimulated.getTime(),
    sentUntilMs: row.sentUntil.getTime(),
    sentRealMs: row.sentReal.getTime(),
  }
  return { state, version: row.version, revision: row.revision, isMine: row.isMine }
}

/** Writes the state after a command, or after people came or left. */
export async function writeState(tx: Tx, buildingId: string, state: SimulationState): Promise<void> {
  const { running, automatic, speed, startedMs } = state
  const [anchorReal, anchorSimulated] = [new Date(state.anchorRealMs), new Date(state.anchorSimulatedMs)]
  const [sentUntil, sentReal] = [new Date(state.sentUntilMs), new Date(state.sentRealMs)]
  await tx.run(sql`
    insert into simulations (building_id, running, automatic, speed, started_at, anchor_real, anchor_simulated,
      sent_until, sent_real)
    values (${buildingId}, ${running}, ${automatic}, ${speed}, ${startedMs === null ? null : new Date(startedMs)},
      ${anchorReal}, ${anchorSimulated}, ${sentUntil}, ${sentReal})
    on conflict (building_id) do update set running = excluded.running, automatic = excluded.automatic,
      speed = excluded.speed,
      started_at = excluded.started_at, anchor_real = excluded.anchor_real,
      anchor_simulated = excluded.anchor_simulated, sent_until = excluded.sent_until, sent_real = excluded.sent_real,
      version = simulations.version + 1`)
  noteChange(tx, buildingId, 'simulation')
}

/**
 * Writes the progress of the lease holder. False if the state was changed since it was read, or if the lease was lost.
 */
export async function advance(
  db: Queryable,
  buildingId: string,
  lease: Lease,
  { state, version }: Pick<StoredSimulation, 'state' | 'version'>,
): Promise<boolean> {
  const { anchorRealMs, anchorSimulatedMs, sentUntilMs, sentRealMs } = state
  const written = await db.run(sql`
    update simulations set anchor_real = ${new Date(anchorRealMs)}, anchor_simulated = ${new Date(anchorSimulatedMs)},
      sent_until = ${new Date(sentUntilMs)}, sent_real = ${new Date(sentRealMs)}
    where building_id = ${buildingId} and ${isHeldBy(lease)} and version = ${version}`)
  return written === 1
}

const HAS_WORK = sql`(running or sent_until < anchor_simulated)`

/** Buildings whose simulation runs or has something left to send, and that no other process simulates. */
export async function listUnattended(db: Queryable, lease: Lease): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    prepared(sql`select building_id as id from simulations where ${HAS_WORK} and ${isFreeFor(lease)}`),
  )
  return rows.map(({ id }) => id)
}

export async function claimSimulation(db: Queryable, buildingId: string, lease: Lease): Promise<boolean> {
  const taken = await db.run(sql`
    update simulations set ${holdFor(lease)}
    where building_id = ${buildingId} and ${HAS_WORK} and ${isFreeFor(lease)}`)
  return taken === 1
}

export async function renewSimulations(db: Queryable, lease: Lease): Promise<void> {
  await db.run(sql`update simulations set ${holdFor(lease)} where ${isHeldBy(lease)}`)
}

export async function releaseSimulation(db: Queryable, buildingId: string, lease: Lease): Promise<void> {
  await db.run(sql`
    update simulations set ${RELEASE} where building_id = ${buildingId} and ${isHeldBy(lease)}`)
}

/** Whether a simulation runs that is not automatic. */
export async function isAnyStarted(db: Queryable): Promise<boolean> {
  const started = prepared(sql`select 1 as started from simulations where running and not automatic limit 1`)
  return (await db.row(started)) !== undefined
}

/** Generated buildings among these whose simulation would start because somebody follows them. */
export async function listStartable(db: Queryable, buildingIds: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    select m.building_id as id from building_models m left join simulations s on s.building_id = m.building_id
    where m.building_id = any(${buildingIds}::uuid[])
      and (s.building_id is null or (s.automatic and not s.running))`)
  return rows.map(({ id }) => id)
}

/** When the building was created, which is the end of its generated history, and the number of its points. */
export async function readExtent(tx: Tx, buildingId: string): Promise<{ historyEndMs: number; points: number }> {
  const row = await tx.row<{ at: Date; points: number }>(sql`
    select created_at as at, (select count(*)::integer from points where building_id = ${buildingId}) as points
    from buildings where id = ${buildingId}`)
  return { historyEndMs: row!.at.getTime(), points: row!.points }
}

export async function countPoints(db: Queryable, buildingId: string): Promise<number> {
  const row = await db.row<{ count: number }>(
    sql`select count(*)::integer as count from points where building_id = ${buildingId}`,
  )
  return row!.count
}

export interface StoredFault {
  id: string
  fault: SimulatedFault
  nodeId: string
  startMs: number
  endMs: number
}

/** Faults that end after an instant of simulated time. */
export async function listFaults(db: Queryable, buildingId: string, afterMs: number): Promise<StoredFault[]> {
  const rows = await db.rows<{ id: string; fault: SimulatedFault; nodeId: string; startsAt: Date; endsAt: Date }>(sql`
    select id, fault, node_id as "nodeId", starts_at as "startsAt", ends_at as "endsAt" from simulated_faults
    where building_id = ${buildingId} and ends_at > ${new Date(afterMs)} order by starts_at, id`)
  return rows.map(({ startsAt, endsAt, ...row }) => ({ ...row, startMs: startsAt.getTime(), endMs: endsAt.getTime() }))
}

export async function insertFault(tx: Tx, buildingId: string, created: StoredFault): Promise<void> {
  const { id, fault, nodeId, startMs, endMs } = created
  await tx.run(sql`
    insert into simulated_faults (id, building_id, fault, node_id, starts_at, ends_at)
    values (${id}, ${buildingId}, ${fault}, ${nodeId}, ${new Date(startMs)}, ${new Date(endMs)})`)
  noteChange(tx, buildingId, 'simulation')
}

/** False if there is no such fault. */
export async function endFault(tx: Tx, buildingId: string, id: string, atMs: number): Promise<boolean> {
  const found = await tx.run(sql`
    update simulated_faults set ends_at = greatest(starts_at, least(ends_at, ${new Date(atMs)}))
    where building_id = ${buildingId} and id = ${id}`)
  if (found === 1) noteChange(tx, buildingId, 'simulation')
  return found === 1
}

/** Deletes faults that ended so long ago that they no longer affect a room. */
export async function deleteFaultsBefore(tx: Tx, buildingId: string, beforeMs: number): Promise<void> {
  await tx.run(sql`
    delete from simulated_faults where building_id = ${buildingId} and ends_at < ${new Date(beforeMs)}`)
}
