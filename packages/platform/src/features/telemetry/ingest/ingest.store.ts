import { type Database, prepared, type Queryable, type Sql, sql } from '@storey/kit/database'
import { type OutboundEvent, queued, queueMore } from '../../webhooks/index.ts'
import type { NamedPoint } from './external-id-index.ts'

export type PointRow = { id: string; number: number; elementId: string }

export async function readRevision(db: Queryable, buildingId: string): Promise<number | undefined> {
  return (await db.row<{ revision: number }>(sql`select revision from buildings where id = ${buildingId}`))?.revision
}

export async function readPoints(db: Queryable, buildingId: string): Promise<PointRow[]> {
  return await db.rows<PointRow>(
    sql`select id, number, element_id as "elementId" from points where building_id = ${buildingId}`,
  )
}

/** The external ids of all points of a building. */
export async function readExternalIds(db: Queryable, buildingId: string): Promise<NamedPoint[]> {
  return await db.rows<NamedPoint & Record<string, unknown>>(sql`
    select e.source_system as "sourceSystem", e.external_id as "externalId", p.number
    from node_external_ids e join points p on p.id = e.node_id where e.building_id = ${buildingId}`)
}

export interface NewBatch {
  buildingId: string
  /** The revision for which the points were read. */
  revision: number
  receivedAt: Date
  firstAt: Date
  lastAt: Date
  count: number
  data: Buffer
}

/**
 * Writes the batch. Returns false and writes nothing if the graph or the subscriptions have changed since they were
 * read. The caller must then check the observations again.
 */
export async function insertBatch(db: Queryable, batch: NewBatch, version: number): Promise<boolean> {
  return (await db.run(prepared(insertOf(batch, version)))) === 1
}

/**
 * Writes the batch, its outbound events and their deliveries in one commit. The events come in portions. To save
 * memory, a third or later portion is created only when the portion before it is written. If there is only one portion,
 * one statement writes everything. Returns false and writes nothing if the graph or the subscriptions have changed
 * since they were read.
 */
export async function insertBatchWithEvents(
  db: Database,
  batch: NewBatch,
  version: number,
  events: AsyncGenerator<OutboundEvent[], void, undefined>,
): Promise<boolean> {
  const first = await events.next()
  if (first.done) return await insertBatch(db, batch, version)
  const second = await events.next()
  if (second.done) return await insertFirst(db, batch, version, first.value)
  return await db.transaction(async (tx) => {
    await tx.run(sql`select from webhooks_version for share`)
    if (!(await insertFirst(tx, batch, version, first.value))) return false
    await queueMore(tx, second.value)
    for await (const portion of events) await queueMore(tx, portion)
    return true
  })
}

async function insertFirst(
  db: Queryable,
  batch: NewBatch,
  version: number,
  events: readonly OutboundEvent[],
): Promise<boolean> {
  const row = await db.row<{ batches: number }>(sql`
    with batch as (${insertOf(batch, version)} returning 1), ${queued(events, sql`exists (select from batch)`)}
    select count(*) as batches from batch`)
  return row!.batches === 1
}

function insertOf({ buildingId, revision, receivedAt, firstAt, lastAt, count, data }: NewBatch, version: number): Sql {
  return sql`
    insert into observation_batches (received_at, first_at, last_at, count, data)
    select ${receivedAt}::timestamptz, ${firstAt}::timestamptz, ${lastAt}::timestamptz, ${count}::integer, ${data}::bytea
    from buildings, webhooks_version
    where id = ${buildingId} and revision = ${revision} and version = ${version}`
}
