import { prepared, type Queryable, sql } from '@storey/kit/database'
import { type OutboundEvent, queued } from '../../webhooks/index.ts'
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

export interface PreparedOutbound {
  /** The version of the subscriptions for which the events were prepared. */
  version: number
  events: readonly OutboundEvent[]
}

/**
 * Writes the batch, its outbound events and their deliveries in one statement and one commit. Returns false and writes
 * nothing if the graph or the subscriptions have changed since they were read. The caller must then prepare everything
 * again.
 */
export async function insertBatch(db: Queryable, batch: NewBatch, outbound: PreparedOutbound): Promise<boolean> {
  const { buildingId, revision, receivedAt, firstAt, lastAt, count, data } = batch
  const insert = sql`
    insert into observation_batches (received_at, first_at, last_at, count, data)
    select ${receivedAt}::timestamptz, ${firstAt}::timestamptz, ${lastAt}::timestamptz, ${count}::integer, ${data}::bytea
    from buildings, webhooks_version
    where id = ${buildingId} and revision = ${revision} and version = ${outbound.version}`
  if (outbound.events.length === 0) return (await db.run(prepared(insert))) === 1
  const row = await db.row<{ batches: number }>(sql`
    with batch as (${insert} returning 1), ${queued(outbound.events, sql`exists (select from batch)`)}
    select count(*) as batches from batch`)
  return row!.batches === 1
}
