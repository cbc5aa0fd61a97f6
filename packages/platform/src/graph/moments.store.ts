import { type Queryable, sql } from '@storey/kit/database'

/** A revision of a building, and its time. */
export type Moment = { revision: number; at: Date }

export async function presentMoment(db: Queryable, buildingId: string): Promise<Moment | undefined> {
  return await db.row<Moment>(sql`
    select r.revision, r.at from buildings b join revisions r on r.building_id = b.id and r.revision = b.revision
    where b.id = ${buildingId}`)
}

export async function momentOfRevision(
  db: Queryable,
  buildingId: string,
  revision: number,
): Promise<Moment | undefined> {
  return await db.row<Moment>(
    sql`select revision, at from revisions where building_id = ${buildingId} and revision = ${revision}`,
  )
}

/** The last revision at or before this time. */
export async function momentOfInstant(db: Queryable, buildingId: string, instant: Date): Promise<Moment | undefined> {
  return await db.row<Moment>(sql`
    select revision, at from revisions where building_id = ${buildingId} and at <= ${instant}
    order by at desc, revision desc limit 1`)
}

export async function momentOfSnapshot(db: Queryable, buildingId: string, name: string): Promise<Moment | undefined> {
  return await db.row<Moment>(sql`
    select r.revision, r.at from snapshots s
    join revisions r on r.building_id = s.building_id and r.revision = s.revision
    where s.building_id = ${buildingId} and s.name = ${name}`)
}
