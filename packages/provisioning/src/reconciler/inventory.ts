import { type Database, isUnavailable } from '@storey/kit/database'
import { findBoundary, listOwned, type OwnedRow } from '../features/sandboxes/index.ts'
import type { StackRuntime } from '../stacks/index.ts'
import {
  ALL_IDS,
  CONTROL_SERVER,
  type IdRange,
  type TenantMetadata,
  type TenantServers,
  type Tenants,
} from '../tenants/index.ts'

/** The databases and roles on one server, by sandbox id. */
export interface ServerInventory {
  databases: ReadonlyMap<string, TenantMetadata>
  roles: ReadonlySet<string>
}

/**
 * The databases, roles and folders that exist in a range of sandbox ids, by sandbox id, and the rows of these
 * sandboxes.
 */
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
  /** How many sandboxes are compared at a time. */
  inventorySize?: number
}

const SIZE = 1_000

/**
 * Yields one inventory for each range of sandbox ids, so that memory use does not grow with the number of sandboxes.
 */
export async function* takeInventory(deps: InventoryDeps): AsyncGenerator<Inventory> {
  const { control, runtime, inventorySize = SIZE } = deps
  const folders = (await runtime.listFiles()).filter((name) => /^sbx_[a-z0-9]+$/.test(name)).sort()
  let first = 0
  for (let after: string | undefined = ALL_IDS.after; after !== undefined; ) {
    const boundary: string | undefined = await findBoundary(control, after, inventorySize)
    const range = { after, upTo: boundary ?? ALL_IDS.upTo }
    let end = first
    while (end < folders.length && folders[end]! <= range.upTo) end++
    yield { ...(await inventoryIn(range, deps)), folders: new Set(folders.slice(first, end)) }
    first = end
    after = boundary
  }
}

/**
 * Rows are listed last: a row exists before its database and is deleted after it, so a sandbox that is being created is
 * never taken for a leftover.
 */
async function inventoryIn(range: IdRange, { control, servers }: InventoryDeps): Promise<Omit<Inventory, 'folders'>> {
  const present = await Promise.all(servers.present().map((server) => inventoryOf(server, range)))
  const rows = await listOwned(control, range)
  return {
    servers: new Map(present.filter((one) => one !== undefined)),
    rows: new Map(rows.map((row) => [row.id, row])),
  }
}

/** Returns undefined if the server has stopped answering. */
async function inventoryOf({ id, tenants }: { id: string; tenants: Tenants }, range: IdRange) {
  try {
    const { databases, roles } = await tenants.present(range)
    return [id, { databases, roles: new Set(roles) }] as const
  } catch (err) {
    if (id === CONTROL_SERVER || !isUnavailable(err)) throw err
    return undefined
  }
}
