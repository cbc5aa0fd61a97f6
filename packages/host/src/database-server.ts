import {
  availableConnections,
  closeToPublic,
  createDatabase,
  createRightsMissing,
  databaseExists,
  keepsSessions,
  MIN_SERVER_VERSION,
  mayCreateDatabases,
  openDatabase,
  serverFacts,
  withDatabaseName,
} from '@storey/kit/database'
import { startEmbeddedPostgres } from '@storey/kit/embedded-postgres'
import type { Log } from '@storey/kit/log'
import { derivePassword } from '@storey/kit/secrets'
import { StartupError } from '@storey/kit/startup-error'
import type { DataFolder } from './data-folder.ts'

export interface DatabaseServer {
  /** The address of the control database, with a role that may create databases and roles. */
  controlUrl: string
  stop(): Promise<void>
}

export interface DatabaseServerOptions {
  databaseUrl: URL | undefined
  folder: DataFolder
  masterSecret: string
  log: Log
  /** True for operator commands, which use the embedded server of the running service, if there is one. */
  attach?: boolean
  /** True if nothing may be changed: a database in DATABASE_URL that is open to all roles stays open. */
  isReadOnly?: boolean
  onLost?: (err: Error) => void
}

const CONTROL_DATABASE = 'storey'

/** Checks the server of DATABASE_URL, or starts the embedded one with its control database. */
export async function openDatabaseServer(options: DatabaseServerOptions): Promise<DatabaseServer> {
  const { databaseUrl, folder, masterSecret, log } = options
  if (databaseUrl) {
    await checkServer(databaseUrl.href, log, options.isReadOnly)
    // Operator commands skip this check, because they do not take the leader lock, and all connections may be in use.
    if (!options.attach) await checkSessions(databaseUrl.href)
    return { controlUrl: databaseUrl.href, stop: async () => undefined }
  }
  const server = await startEmbeddedPostgres({
    folder: folder.postgres,
    password: derivePassword(masterSecret, 'postgres'),
    log,
    ...(options.attach === undefined ? {} : { attach: options.attach }),
    ...(options.onLost === undefined ? {} : { onLost: options.onLost }),
  })
  await ensureControlDatabase(server.url, log).catch(async (err) => {
    await server.stop()
    throw err
  })
  return { controlUrl: withDatabaseName(server.url, CONTROL_DATABASE), stop: () => server.stop() }
}

/** Returns the configured number of connections, or the server's limit if the number is absent or above that limit. */
export async function connectionBudget(url: string, set: number | undefined, log: Log): Promise<number> {
  const database = openDatabase({ url, log, applicationName: 'storey-setup', maxConnections: 1 })
  try {
    const available = await availableConnections(database)
    if (set !== undefined && set > available) {
      log.warn({ set, available }, 'DATABASE_CONNECTIONS exceeds the server limit, using the server limit')
    }
    return Math.min(set ?? available, available)
  } finally {
    await database.close()
  }
}

/**
 * Creates the control database. Only the role of the service may connect to it and to the server's default databases.
 */
async function ensureControlDatabase(url: string, log: Log): Promise<void> {
  const admin = openDatabase({ url, log, applicationName: 'storey-setup', maxConnections: 1 })
  try {
    if (await databaseExists(admin, CONTROL_DATABASE)) return
    for (const name of ['postgres', 'template1']) await closeToPublic(admin, name)
    await createDatabase(admin, CONTROL_DATABASE)
    await closeToPublic(admin, CONTROL_DATABASE)
  } finally {
    await admin.close()
  }
}

async function checkServer(url: string, log: Log, isReadOnly = false): Promise<void> {
  const database = openDatabase({ url, log, applicationName: 'storey-setup', maxConnections: 1 })
  try {
    const { version, mayFill, encoding, name, role } = await serverFacts(database)
    if (version < MIN_SERVER_VERSION) {
      throw new StartupError(
        `DATABASE_URL points to PostgreSQL ${version}; ${MIN_SERVER_VERSION} or later is required.`,
      )
    }
    if (!(await mayCreateDatabases(database))) throw new StartupError(`${createRightsMissing('DATABASE_URL')}.`)
    if (!mayFill) {
      throw new StartupError(
        `The role in DATABASE_URL cannot create tables in its database. Run: alter database "${name}" owner to "${role}"`,
      )
    }
    if (encoding !== 'UTF8') throw new StartupError('The database in DATABASE_URL must have the encoding UTF8.')
    if (!isReadOnly) await closeToPublic(database, name)
  } catch (cause) {
    if (cause instanceof StartupError) throw cause
    throw new StartupError(`The database in DATABASE_URL could not be checked: ${(cause as Error).message}`, { cause })
  } finally {
    await database.close()
  }
}

async function checkSessions(url: string): Promise<void> {
  // The check needs two free connections and is skipped without them, because the leader may use all connections while
  // a standby starts.
  if (await keepsSessions(url, 'storey-setup').catch(() => true)) return
  throw new StartupError(
    'DATABASE_URL points to a pooler in transaction mode, which does not keep the locks of a session. Use session mode, or the address of PostgreSQL itself.',
  )
}
