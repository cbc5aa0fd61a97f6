import { type Database, openDatabase, withDatabaseName } from '@storey/kit/database'
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
    if ((await tagIn(withDatabaseName(controlUrl, name), log)) !== tag) continue
    throw new StartupError(
      `Another Storey process uses the database "${name}" on the same server, a copy of this control database with the same sandboxes. Stop that process.`,
    )
  }
}

/** The installation tag in a database. Undefined if the database has no tag, or if this role cannot read it. */
async function tagIn(url: string, log: Log): Promise<string | undefined> {
  const other = openDatabase({ url, log, applicationName: 'storey-setup', maxConnections: 1 })
  try {
    return await readInstallationTag(other)
  } catch (err) {
    log.debug({ err }, 'could not read another control database')
    return undefined
  } finally {
    await other.close()
  }
}
