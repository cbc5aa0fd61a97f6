import type { Database } from '@storey/kit/database'
import { listOwned, type OwnedRow } from '../features/sandboxes/index.ts'
import type { StackRuntime } from '../stacks/index.ts'
import type { TenantMetadata, Tenants } from '../tenants/index.ts'

/** The databases, roles and folders that exist, by sandbox id, and the rows of all sandboxes. */
export interface Inventory {
  databases: ReadonlyMap<string, TenantMetadata>
  roles: ReadonlySet<string>
  folders: ReadonlySet<string>
  rows: ReadonlyMap<string, OwnedRow>
}

export interface InventoryDeps {
  control: Database
  tenants: Pick<Tenants, 'present'>
  runtime: Pick<StackRuntime, 'listFiles'>
}

/**
 * Rows are listed last: a row exists before its database and is deleted after it, so a sandbox that is being created is
 * never taken for a leftover.
 */
export async function takeInventory({ control, tenants, runtime }: InventoryDeps): Promise<Inventory> {
  const { databases, roles } = await tenants.present()
  const folders = (await runtime.listFiles()).filter((name) => /^sbx_[a-z0-9]+$/.test(name))
  const rows = await listOwned(control)
  return {
    databases,
    roles: new Set(roles),
    folders: new Set(folders),
    rows: new Map(rows.map((row) => [row.id, row])),
  }
}
