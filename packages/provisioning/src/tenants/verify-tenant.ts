import { hasMigrationsKey, hasUnsetSequence, isDenied, readSchema, readVersion, type Tx } from '@storey/kit/database'
import { findOtherOrganization } from './content.store.ts'
import { type MigrateTenantDeps, withTenant } from './migrate-tenant.ts'
import { isVerified } from './tenant-metadata.ts'
import type { Tenants } from './tenants.ts'

export interface VerifyTenantDeps extends Pick<MigrateTenantDeps, 'log'> {
  /** The tenants of the server that has the database. */
  tenants: MigrateTenantDeps['tenants'] &
    Pick<Tenants, 'metadataOf' | 'isBeingRestored' | 'expectedSchema' | 'recordSeeded'>
}

/** What the row of a sandbox contains about its database. */
export interface DescribedTenant {
  id: string
  /** The id that the organization of the sandbox has in the tenant database. */
  tenantId: string
  requestedAt: Date
  resumedAt: Date | null
  siteId: string | null
  buildingId: string | null
  fingerprint: string | null
}

export const DATABASE_INCOMPLETE = 'The database of the sandbox is incomplete. It is probably being restored'
export const DATABASE_FOREIGN =
  'The database belongs to another sandbox: it was renamed, or a backup of the other sandbox was restored under the name of the database of this sandbox'

/**
 * Why the database of a sandbox cannot be used; undefined if this service completed the database, or if it was restored
 * completely from a backup. A restored database is then recorded as complete, so that it is checked only once. A
 * missing database counts as incomplete.
 */
export async function unusableReason(deps: VerifyTenantDeps, row: DescribedTenant): Promise<string | undefined> {
  const { tenants } = deps
  const { id, requestedAt, resumedAt, siteId, buildingId, fingerprint } = row
  const metadata = await tenants.metadataOf(id)
  if (metadata === undefined) return DATABASE_INCOMPLETE
  if (isVerified(metadata, row)) return undefined
  if (await tenants.isBeingRestored(id)) return DATABASE_INCOMPLETE
  const problem = await contentProblem(deps, row)
  if (problem !== undefined) return problem
  if (siteId && buildingId && fingerprint) {
    const result = { siteId, buildingId, fingerprint }
    // Only the owner of a database can comment on it. Without the comment the database is checked again next time.
    await tenants.recordSeeded({ id, requestedAt, resumedAt }, result).catch((err) => {
      if (!isDenied(err)) throw err
    })
  }
  return undefined
}

/** Why the content of a database cannot be used. The caller has checked that the database is not being restored. */
async function contentProblem(deps: VerifyTenantDeps, { id, tenantId }: DescribedTenant): Promise<string | undefined> {
  return await withTenant(deps, id, (database) =>
    database.session(async (session) => {
      if (!(await hasWholeSchema(deps, session))) return DATABASE_INCOMPLETE
      return (await findOtherOrganization(session, tenantId)) === undefined ? undefined : DATABASE_FOREIGN
    }),
  )
}

/**
 * Whether the database has everything that the migrations up to its version create, with all sequences set. Other
 * objects, such as indexes that an operator has added, are ignored.
 */
async function hasWholeSchema({ tenants }: VerifyTenantDeps, session: Tx): Promise<boolean> {
  const version = (await hasMigrationsKey(session)) ? await readVersion(session) : 0
  if (version === 0) return false
  const expected = await tenants.expectedSchema(version)
  const found = await readSchema(session)
  return [...expected].every((name) => found.has(name)) && !(await hasUnsetSequence(session, expected))
}
