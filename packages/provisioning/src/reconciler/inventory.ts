import { type Database, isUnavailable } from '@storey/kit/database'
import { listOwned, type OwnedRow } from '../features/sandboxes/index.ts'
import type { StackRuntime } from '../stacks/index.ts'
import { CONTROL_SERVER, type TenantMetadata, type TenantServers, type Tenants } from '../tenants/index.ts'

/** The databases and roles on one server, by sandbox id. */
export interface ServerInventory {
  databases: ReadonlyMap<string, TenantMetadata>
  roles: ReadonlySet<string>
}

/** The databases, roles and folders that exist, by sandbox id, and the rows of all sandboxes. */
export interface Inventory {
  /** The servers that answer. Nothing is known about the others. */
  servers: ReadonlyMap<string, ServerInventory>
  folders: ReadonlySet<string>
  rows: ReadonlyMap<string, OwnedRow>
}

export interface InventoryDeps {
  control: Database
  servers: Pick<TenantServers, 'present'>
  runtime: Pick<StackRuntime, 'listFiles'>
}

/**
 * Rows are listed last: a row exists before its database and is deleted after it, so a sandbox that is being created is
 * never taken for a leftover.
 */
export async function takeInventory({ control, servers, runtime }: InventoryDeps): Promise<Inventory> {
  const present = await Promise.all(servers.present().map(inventoryOf))
  const folders = (await runtime.listFiles()).filter((name) => /^sbx_[a-z0-9]+$/.test(name))
  const rows = await listOwned(control)
  return {
    servers: new Map(present.filter((one) => one !== undefined)),
    folders: new Set(folders),
    rows: new Map(rows.map((row) => [row.id, row])),
  }
}

/** Undefined if the server stopped to answer. */
async function inventoryOf({ id, tenants }: { id: string; tenants: Tenants }) {
  try {
    const { databases, roles } = await tenants.present()
    return [id, { databases, roles: new Set(roles) }] as const
  } catch (err) {
    if (id === CONTROL_SERVER || !isUnavailable(err)) throw err
    return undefined
  }
}
