import { type Queryable, sql } from '@storey/kit/database'

/** Those of the given sandboxes that are expired or suspended, and therefore must not have a stack. */
export async function listClosed(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`select id from sandboxes
    where id = any(${ids}) and removing_at is null and (expired_at is not null or suspended_at is not null)`)
  return rows.map(({ id }) => id)
}
