import { identifier, type Queryable, sql } from '@storey/kit/database'

export interface DatabaseFacts {
  version: string
  isReadOnly: boolean
  isSuperuser: boolean
  fsync: string
  fullPageWrites: string
  autovacuum: string
  collate: string
  hasOtherCollation: boolean
  maxConnections: number
  usedConnections: number
  isEncrypted: boolean | null
}

export async function readFacts(db: Queryable): Promise<DatabaseFacts> {
  const row = await db.row<DatabaseFacts & Record<string, unknown>>(sql`
    select current_setting('server_version') as version, pg_is_in_recovery() as "isReadOnly",
      (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
      current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
      current_setting('autovacuum') as autovacuum, datcollate as collate,
      coalesce(datcollversion is distinct from pg_database_collation_actual_version(oid), false) as "hasOtherCollation",
      current_setting('max_connections')::int as "maxConnections",
      (select count(*) from pg_stat_activity where backend_type = 'client backend') as "usedConnections",
      (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as "isEncrypted"
    from pg_database where datname = current_database()`)
  return row!
}

/** The checksums of the applied migrations, in order; undefined before the first start. */
export async function appliedChecksums(db: Queryable, table: string): Promise<string[] | undefined> {
  const exists = await db.row<{ exists: boolean }>(sql`select to_regclass(${table}) is not null as exists`)
  if (!exists!.exists) return undefined
  const rows = await db.rows<{ checksum: string }>(sql`select checksum from ${identifier(table)} order by version`)
  return rows.map(({ checksum }) => checksum)
}

/**
 * How far the clock of the server is ahead of this machine's clock, assuming that the server read its clock in the
 * middle of the round trip.
 */
export async function clockDifferenceMs(db: Queryable): Promise<number> {
  const before = Date.now()
  const row = await db.row<{ now: Date }>(sql`select clock_timestamp() as now`)
  const after = Date.now()
  return row!.now.getTime() - (before + after) / 2
}
