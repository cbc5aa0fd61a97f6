import { type Queryable, sql } from '@storey/kit/database'

/** Whether a session of this database holds the advisory lock with this key. */
export async function isLockHeld(db: Queryable, key: number): Promise<boolean> {
  const row = await db.row<{ isHeld: boolean }>(sql`select exists (select 1 from pg_locks
    where locktype = 'advisory' and classid = 0 and objid = ${key} and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())) as "isHeld"`)
  return row!.isHeld
}

/**
 * The other databases that have a session with this application name. A session counts only if its role may create
 * databases and roles, as the role of a service may. Any role can choose the name, so without this condition a tenant's
 * role could make the service open the tenant's database as administrator.
 */
export async function otherDatabasesOf(db: Queryable, applicationName: string): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`
    select distinct datname as name from pg_stat_activity join pg_roles r on r.oid = usesysid
    where application_name = ${applicationName} and datname <> current_database()
      and (rolsuper or rolcreatedb and rolcreaterole) order by 1`)
  return rows.map(({ name }) => name)
}

/**
 * The tools for restores that are connected to this database. pg_restore counts even between two statements. psql is
 * often open for other purposes, so it counts only while it works, or if its state is hidden because the session
 * belongs to another role.
 */
export async function restoreTools(db: Queryable): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (application_name = 'pg_restore' or application_name = 'psql' and coalesce(state, '') <> 'idle') order by 1`)
  return rows.map(({ name }) => name)
}

/** Whether there are sandboxes, but no row with the tag that is part of the names of their databases. */
export async function lacksInstallation(db: Queryable): Promise<boolean> {
  const row = await db.row<{ isLost: boolean }>(sql`
    select exists (select from sandboxes) and not exists (select from installation) as "isLost"`)
  return row!.isLost
}

/** The tag of the installation that uses this database; undefined before its first start. */
export async function readInstallationTag(db: Queryable): Promise<string | undefined> {
  const table = await db.row<{ exists: boolean }>(sql`select to_regclass('installation') is not null as exists`)
  if (!table!.exists) return undefined
  return (await db.row<{ tag: string }>(sql`select tag from installation`))?.tag
}
