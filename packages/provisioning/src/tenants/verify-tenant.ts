import { isDenied, readVersion } from '@storey/kit/database'
import { type MigrateTenantDeps, withTenant } from './migrate-tenant.ts'
import * as store from './tenants.store.ts'
import type { Tenants } from './tenants.ts'

export interface VerifyTenantDeps extends Pick<MigrateTenantDeps, 'log'> {
  /** The tenants of the server that has the database. */
  tenants: MigrateTenantDeps['tenants'] & Pick<Tenants, 'metadataOf' | 'isBeingRestored' | 'recordSeeded'>
}

/** What the row of a sandbox says about its database. */
export interface DescribedTenant {
  id: string
  requestedAt: Date
  siteId: string | null
  buildingId: string | null
  fingerprint: string | null
}

export const DATABASE_INCOMPLETE = 'The database of the sandbox is incomplete. It is probably being restored'

/**
 * Whether a database can be used: it is the one that this service completed, or a backup that is restored as a whole.
 * The latter is recorded, so that it is checked only once. False if the database does not exist.
 */
export async function isWholeTenant(deps: VerifyTenantDeps, row: DescribedTenant): Promise<boolean> {
  const { tenants } = deps
  const { id, requestedAt, siteId, buildingId, fingerprint } = row
  const metadata = await tenants.metadataOf(id)
  if (metadata === undefined) return false
  if (!metadata.isUnverified) return true
  if ((await tenants.isBeingRestored(id)) || !(await hasWholeSchema(deps, id))) return false
  if (siteId && buildingId && fingerprint) {
    const result = { siteId, buildingId, fingerprint }
    // Only the owner of a database can comment on it. Without the comment the database is checked again next time.
    await tenants.recordSeeded(id, requestedAt, result).catch((err) => {
      if (!isDenied(err)) throw err
    })
  }
  return true
}

/** Tools restore constraints after all rows, so a database with this constraint has its rows. */
async function hasWholeSchema(deps: VerifyTenantDeps, id: string): Promise<boolean> {
  return await withTenant(deps, id, (database) =>
    database.session(async (session) => (await store.hasMigrationsKey(session)) && (await readVersion(session)) > 0),
  )
}
