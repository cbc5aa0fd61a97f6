import { type Queryable, sql } from '@storey/kit/database'

/**
 * The id of another organization, if the database contains organizations and the given one is not among them; otherwise
 * undefined.
 */
export async function findOtherOrganization(db: Queryable, organizationId: string): Promise<string | undefined> {
  const table = await db.row(sql`select 1 from pg_class where oid = to_regclass('organizations')`)
  if (table === undefined) return undefined
  const row = await db.row<{ id: string }>(
    sql`select id from organizations order by id = ${organizationId} desc, id limit 1`,
  )
  return row?.id === organizationId ? undefined : row?.id
}
