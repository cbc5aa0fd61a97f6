import type { AuditQuery } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { recordChange } from './features/audit/audit.ts'
import { type AuditPage, listAudit } from './features/audit/list-audit.ts'
import * as keys from './features/keys/mint-operator-key.ts'
import { installationTag } from './installation.store.ts'
import { findOrphans, type Orphans } from './reconciler/sweep.ts'
import { createStackFolders } from './stacks/stack-folders.ts'
import { presentTenants } from './tenants/tenants.ts'

/** What the operator's commands need, without the service around it: a command should answer at once. */
export {
  deleteDeadLetter,
  findDeadLetter,
  listDeadLetters,
  requestResend,
} from './features/dead-letters/dead-letters.store.ts'
export { createOrganizations } from './features/organizations/organizations.ts'
export { listAll as listSandboxes } from './features/sandboxes/sandboxes.store.ts'
export { CONTROL_MIGRATIONS } from './migrations.ts'

export function mintOperatorKey(deps: Omit<keys.OperatorMintDeps, 'recordChange'>, mint: keys.OperatorMint) {
  return keys.mintOperatorKey({ ...deps, recordChange }, mint)
}

/** Audit rows, newest first: of an organization or, with null, the tries with keys that are nobody's. */
export function operatorAudit(
  control: Database,
  organizationId: string | null,
  query: AuditQuery = {},
): Promise<AuditPage> {
  return listAudit(control, organizationId, query)
}

/** Databases, roles and folders that no sandbox owns: the service's sweeper would remove them. */
export async function findLeftovers(control: Database, stacksFolder: string): Promise<Orphans> {
  const tag = await installationTag(control)
  const tenants = { present: () => presentTenants(control, tag), drop: async () => undefined }
  return await findOrphans({ control, tenants, runtime: createStackFolders(stacksFolder) })
}
