import { type Queryable, sql } from '@storey/kit/database'

/** Whether a database has organizations, but not this one. */
export async function isOfAnother(db: Queryable, organizationId: string): Promise<boolean> {
  const table = await db.row(sql`select 1 from pg_class where oid = to_regclass('organizations')`)
  if (table === undefined) return false
  const rows = await db.rows<{ id: string }>(sql`select id from organizations`)
  return rows.length > 0 && !rows.some(({ id }) => id === organizationId)
}
