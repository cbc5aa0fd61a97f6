import {
  availableConnections,
  createRightsMissing,
  type Database,
  keepsSessions,
  MIN_SERVER_VERSION,
  mayCreateDatabases,
  serverFacts,
} from '@storey/kit/database'
import { StartupError } from '@storey/kit/startup-error'

/** The name of a server in messages: host and port, never the account. */
export function addressOf(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname || 'localhost'}:${port || 5432}`
}

/** Throws a StartupError if the server answers but cannot hold databases of sandboxes. */
export async function checkServer(admin: Database, url: string): Promise<void> {
  const where = `TENANT_DATABASE_URLS (${addressOf(url)})`
  const { version, encoding } = await serverFacts(admin)
  if (version < MIN_SERVER_VERSION)
    throw new StartupError(`${where} points to PostgreSQL ${version}; ${MIN_SERVER_VERSION} or later is required.`)
  if (!(await mayCreateDatabases(admin))) throw new StartupError(`${createRightsMissing(where)}.`)
  if (encoding !== 'UTF8') throw new StartupError(`The database in ${where} must have the encoding UTF8.`)
  // `keepsSessions` opens two connections. If the call fails, for example because none is free, the check is skipped.
  if (!(await keepsSessions(url, 'storey-setup').catch(() => true)))
    throw new StartupError(
      `${where} points to a pooler in transaction mode, which does not keep the locks of a session. Use session mode, or the address of PostgreSQL itself.`,
    )
}

/** Connections of the service for its own work on a server without the control database. */
export const ADMIN_POOL = 6
/**
 * Connections outside that pool: two for seeds, two for migrations, two for an operator command, and one that holds the
 * lock of the leader on the server (`server-guard.ts`).
 */
const OUTSIDE_POOL = 7
const MIN_FOR_STACKS = 3

/** How many connections stacks may open on a server without the control database. */
export async function stackConnections(admin: Database, url: string, set: number | undefined): Promise<number> {
  const available = await availableConnections(admin)
  const budget = Math.min(set ?? available, available)
  const stacks = budget - ADMIN_POOL - OUTSIDE_POOL
  if (stacks >= MIN_FOR_STACKS) return stacks
  const min = ADMIN_POOL + OUTSIDE_POOL + MIN_FOR_STACKS
  throw new StartupError(
    `${budget} connections to the server in TENANT_DATABASE_URLS (${addressOf(url)}) are too few: at least ${min} are needed. Raise its max_connections or DATABASE_CONNECTIONS.`,
  )
}
