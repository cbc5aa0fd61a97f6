import { type Queryable, sql } from '@storey/kit/database'

/** The revision of a building's graph; undefined if there is no such building. */
export async function findRevision(db: Queryable, buildingId: string): Promise<number | undefined> {
  return (await db.row<{ revision: number }>(sql`select revision from buildings where id = ${buildingId}`))?.revision
}
