import { type Queryable, sql } from '@storey/kit/database'

export type PointRow = { id: string; number: number; elementId: string }

export async function readRevision(db: Queryable, buildingId: string): Promise<number | undefined> {
  return (await db.row<{ revision: number }>(sql`select revision from buildings where id = ${buildingId}`))?.revision
}

export async function readPoints(db: Queryable, buildingId: string): Promise<PointRow[]> {
  return await db.rows<PointRow>(
    sql`select id, number, element_id as "elementId" from points where building_id = ${buildingId}`,
  )
}

export interface NewBatch {
  buildingId: string
  /** The revision at which the points were known. */
  revision: number
  receivedAt: Date
  firstAt: Date
  lastAt: Date
  count: number
  data: Buffer
}

/** One row, one commit. False: the graph has changed since the points were read, and they must be checked again. */
export async function insertBatch(db: Queryable, batch: NewBatch): Promise<boolean> {
  const { buildingId, revision, receivedAt, firstAt, lastAt, count, data } = batch
  const inserted = await db.run(sql`
    insert into observation_batches (received_at, first_at, last_at, count, data)
    select ${receivedAt}::timestamptz, ${firstAt}::timestamptz, ${lastAt}::timestamptz, ${count}::integer, ${data}::bytea
    from buildings where id = ${buildingId} and revision = ${revision}`)
  return inserted === 1
}
