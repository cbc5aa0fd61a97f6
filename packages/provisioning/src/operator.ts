/** The parts of this package that operator commands need, without the service, so that a command starts fast. */

import { type AuditQuery, problems } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { type AuditPage, listAudit, recordChange } from './features/audit/index.ts'
import * as keys from './features/keys/index.ts'
import { installationTag } from './installation.store.ts'
import * as leftovers from './reconciler/index.ts'
import { createStackFolders } from './stacks/index.ts'
import { dropTenant, presentTenants, tenantBytes, tenantConnections } from './tenants/index.ts'

export {
  deleteDeadLetter,
  findDeadLetter,
  listDeadLetters,
  requestResend,
} from './features/dead-letters/index.ts'
export * from './features/operator/index.ts'
export { createOrganizations } from './features/organizations/index.ts'
export {
  DATABASE_MISSING,
  findAny as findSandbox,
  findByName,
  listAll as listSandboxes,
  listMissing,
  restoreSandbox,
} from './features/sandboxes/index.ts'
export { CONTROL_MIGRATIONS } from './migrations.ts'
export { type DueMigration, migrateAll, migrationsDue } from './operator-migrate.ts'

export function revokeKeyByOperator(
  deps: Omit<keys.KeyDeps, 'recordChange'>,
  name: string,
  record: Parameters<typeof keys.revokeKeyByOperator>[2],
) {
  return keys.revokeKeyByOperator({ ...deps, recordChange }, name, record)
}

export function mintOperatorKey(deps: Omit<keys.OperatorMintDeps, 'recordChange'>, mint: keys.OperatorMint) {
  return keys.mintOperatorKey({ ...deps, recordChange }, mint)
}

/** Lists audit rows, newest first: those of an organization or, if it is null, those of attempts with unknown keys. */
export function operatorAudit(
  control: Database,
  organizationId: string | null,
  query: AuditQuery = {},
): Promise<AuditPage> {
  return listAudit(control, organizationId, query)
}

/** How many connections are open to the databases of sandboxes, by sandbox. */
export async function openConnections(control: Database): Promise<ReadonlyMap<string, number>> {
  return await tenantConnections(control, await installationTag(control))
}

export interface ListedLeftover extends leftovers.Leftover {
  databaseBytes: number
  /** When the service drops it; null: at the next sweep. */
  dropAt: Date | null
}

/** Lists databases, roles and folders that no sandbox owns. */
export async function listLeftovers(control: Database, stacksFolder: string): Promise<ListedLeftover[]> {
  const tag = await installationTag(control)
  const found = await leftovers.findLeftovers(await leftoverDeps(control, stacksFolder))
  return await Promise.all(
    found.map(async (leftover) => ({
      ...leftover,
      databaseBytes: await tenantBytes(control, tag, leftover.id),
      dropAt: leftover.isProven
        ? null
        : new Date((leftover.firstSeenAt ?? new Date()).getTime() + leftovers.QUARANTINE_MS),
    })),
  )
}

/** Drops one leftover now. */
export async function dropLeftover(control: Database, stacksFolder: string, id: string): Promise<void> {
  const deps = await leftoverDeps(control, stacksFolder)
  if (!(await leftovers.findLeftovers(deps)).some((leftover) => leftover.id === id)) throw problems.notFound('leftover')
  if (await leftovers.dropLeftover(deps, id)) return
  throw problems.conflict('id', 'The service is working on this sandbox: try again')
}

async function leftoverDeps(control: Database, stacksFolder: string): Promise<leftovers.LeftoverDeps> {
  const tag = await installationTag(control)
  return {
    control,
    tenants: {
      present: () => presentTenants(control, tag),
      drop: (sandboxId) => dropTenant(control, tag, sandboxId),
    },
    runtime: createStackFolders(stacksFolder),
  }
}
