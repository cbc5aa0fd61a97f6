import { type Queryable, sql } from '@storey/kit/database'

/** A revision of a building, and its time. */
export type RevisionAt = { revision: number; at: Date }

export async function currentRevision(db: Queryable, buildingId: string): Promise<RevisionAt | undefined> {
  return await db.row<RevisionAt>(sql`
    select r.revision, r.at from buildings b join revisions r on r.building_id = b.id and r.revision = b.revision
    where b.id = ${buildingId}`)
}

export async function revisionByNumber(
  db: Queryable,
  buildingId: string,
  revision: number,
): Promise<RevisionAt | undefined> {
  return await db.row<RevisionAt>(
    sql`select revision, at from revisions where building_id = ${buildingId} and revision = ${revision}`,
  )
}

/** The last revision at or before this time. */
export async function revisionAtInstant(
  db: Queryable,
  buildingId: string,
  instant: Date,
): Promise<RevisionAt | undefined> {
  return await db.row<RevisionAt>(sql`
    select revision, at from revisions where building_id = ${buildingId} and at <= ${instant}
    order by at desc, revision desc limit 1`)
}

export async function revisionOfSnapshot(
  db: Queryable,
  buildingId: string,
  name: string,
): Promise<RevisionAt | undefined> {
  return await db.row<RevisionAt>(sql`
    select r.revision, r.at from snapshots s
    join revisions r on r.building_id = s.building_id and r.revision = s.revision
    where s.building_id = ${buildingId} and s.name = ${name}`)
}
