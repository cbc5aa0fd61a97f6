import { type Queryable, sql } from '@storey/kit/database'

/** The ids of all buildings. They do not change, because the seeding creates all buildings before the stack starts. */
export async function ownBuildings(db: Queryable): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`select id from buildings`)
  return rows.map(({ id }) => id)
}
