import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** The oldest PostgreSQL that the service works with. */
export const MIN_SERVER_VERSION = 15

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
