import { type Queryable, sql } from '@storey/kit/database'

export interface ServerFacts {
  version: number
  /** Whether the role may create tables in the database. */
  mayFill: boolean
  encoding: string
  name: string
  role: string
}

/** The number of connections that a role without superuser rights may open. */
export async function availableConnections(db: Queryable): Promise<number> {
  const row = await db.row<{ count: number }>(sql`
    select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(nullif(current_setting('reserved_connections', true), ''), '0')::int as count`)
  return row!.count
}

export async function serverFacts(db: Queryable): Promise<ServerFacts> {
  const row = await db.row<ServerFacts & Record<string, unknown>>(
    sql`select current_setting('server_version_num')::int / 10000 as version, current_database() as name, current_user as role,
      has_schema_privilege('public', 'create') as "mayFill", current_setting('server_encoding') as encoding`,
  )
  return row!
}

/** Whether a session of this database holds the advisory lock with this key. */
export async function isLockHeld(db: Queryable, key: number): Promise<boolean> {
  const row = await db.row<{ isHeld: boolean }>(sql`select exists (select 1 from pg_locks
    where locktype = 'advisory' and classid = 0 and objid = ${key} and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())) as "isHeld"`)
  return row!.isHeld
}

/** The other databases in which a session with this name is open. */
export async function otherDatabasesOf(db: Queryable, applicationName: string): Promise<string[]> {
  const rows = await db.rows<{ name: string }>(sql`
    select distinct datname as name from pg_stat_activity
    where application_name = ${applicationName} and datname <> current_database() order by 1`)
  return rows.map(({ name }) => name)
}

/** The tag of the installation that uses this database; undefined before its first start. */
export async function readInstallationTag(db: Queryable): Promise<string | undefined> {
  const table = await db.row<{ exists: boolean }>(sql`select to_regclass('installation') is not null as exists`)
  if (!table!.exists) return undefined
  return (await db.row<{ tag: string }>(sql`select tag from installation`))?.tag
}
