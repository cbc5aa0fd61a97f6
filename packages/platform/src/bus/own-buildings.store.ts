import { type Queryable, sql } from '@storey/kit/database'

/** All buildings are created by the seed, before the stack starts. */
export async function ownBuildings(db: Queryable): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`select id from buildings`)
  return rows.map(({ id }) => id)
}
