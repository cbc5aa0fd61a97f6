import { isDenied, isUnavailable, openDatabase } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { organizationOf } from '../ids.ts'
import { findOtherOrganization } from './content.store.ts'
import { isLoginRefused } from './refusals.ts'
import { OWNER_SESSION } from './tenants.store.ts'

/** What `findOtherOwner` returns if the content of a database cannot be read. */
export const UNKNOWN_OWNER = 'unknown'

export interface OwnerQuestion {
  /** The sandbox whose name the database has. */
  sandboxId: string
  /** The address with which the role of this sandbox opens the database. */
  url: string
  /** The sandbox whose role owns the database; undefined if another role owns it. */
  ofRole: string | undefined
  log: Log
}

/**
 * The other sandbox to which a database belongs, by the role that owns the database or by its content. The owner is
 * reliable, because a renamed database keeps it, and a tenant's role cannot give its database to another role.
 *
 * A tenant's role can create views and functions in its database that replace tables and functions of PostgreSQL, and
 * they run with the rights of the role that reads the database. So the role of the sandbox reads it, and never the
 * administrator.
 */
export async function findOtherOwner({ sandboxId, url, ofRole, log }: OwnerQuestion): Promise<string | undefined> {
  if (ofRole !== undefined && ofRole !== sandboxId) return ofRole
  const database = openDatabase({ url, log, applicationName: OWNER_SESSION, maxConnections: 1 })
  try {
    return (await findOtherOrganization(database, organizationOf(sandboxId)))?.replace(/^org_/, 'sbx_')
  } catch (err) {
    if (!isDenied(err) && !isLoginRefused(err) && isUnavailable(err)) throw err
    return UNKNOWN_OWNER
  } finally {
    await database.close()
  }
}
