import { type Queryable, sql } from '@storey/kit/database'

/** Buildings come with the seed, before the stack starts: nothing makes one later. */
export async function ownBuildings(db: Queryable): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`select id from buildings`)
  return rows.map(({ id }) => id)
}
