import type { Database } from '@storey/kit/database'
import { installationTag } from './installation.store.ts'
import { findOrphans, type Orphans } from './reconciler/sweep.ts'
import { createStackFolders } from './stacks/stack-folders.ts'
import { presentTenants } from './tenants/tenants.ts'

/** What the operator's commands need, without the service around it: a command should answer at once. */
export { mintOperatorKey } from './features/keys/mint-key.ts'
export { createOrganizations } from './features/organizations/organizations.ts'
export { listAll as listSandboxes } from './features/sandboxes/sandboxes.store.ts'
export { CONTROL_MIGRATIONS } from './migrations.ts'

/** Databases, roles and folders that no sandbox owns: the service's sweeper would remove them. */
export async function findLeftovers(control: Database, stacksFolder: string): Promise<Orphans> {
  const tag = await installationTag(control)
  const tenants = { present: () => presentTenants(control, tag), drop: async () => undefined }
  return await findOrphans({ control, tenants, runtime: createStackFolders(stacksFolder) })
}
