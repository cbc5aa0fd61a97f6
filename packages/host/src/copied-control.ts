import { type Database, isDenied, openDatabase, withDatabaseName } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import { otherDatabasesOf, readInstallationTag } from './database-server.store.ts'

export interface CopiedControlOptions {
  control: Database
  controlUrl: string
  /** Every running service holds a database session with this application name. */
  leaderName: string
  log: Log
}

/**
 * Throws if another service uses a copy of the control database on the same database server. Both services would own
 * the same sandboxes, so each would lose what the other one deletes or lets expire.
 */
export async function refuseCopiedControl({ control, controlUrl, leaderName, log }: CopiedControlOptions) {
  const tag = await readInstallationTag(control)
  if (tag === undefined) return
  for (const name of await otherDatabasesOf(control, leaderName)) {
    if ((await tagIn(withDatabaseName(controlUrl, name), name, log)) !== tag) continue
    throw new StartupError(
      `Another Storey process uses the database "${name}" on the same server, a copy of this control database with the same sandboxes. Stop that process.`,
    )
  }
}

const NO_SUCH_DATABASE = '3D000'

/**
 * The installation tag in a database. Undefined if the database has no tag, if it no longer exists, or if this role has
 * no right to read it. While the server permits no further connection, `openDatabase` tries again for 15 seconds.
 */
async function tagIn(url: string, name: string, log: Log): Promise<string | undefined> {
  const other = openDatabase({ url, log, applicationName: 'storey-setup', maxConnections: 1 })
  try {
    return await readInstallationTag(other)
  } catch (cause) {
    const isUnreadable = isDenied(cause) || (cause as { code?: unknown }).code === NO_SUCH_DATABASE
    if (!isUnreadable) throw notChecked(name, cause)
    log.debug({ err: cause }, 'could not read another control database')
    return undefined
  } finally {
    await other.close()
  }
}

const notChecked = (name: string, cause: unknown) =>
  new StartupError(
    `Another Storey process uses the database "${name}" on the same server. It could not be checked whether that database is a copy of this control database: ${(cause as Error).message}. Start again when it can be read, or stop that process.`,
    { cause },
  )
