import type { TenantServers } from '../tenants/index.ts'
import { type InventoryDeps, takeInventory } from './inventory.ts'
import { withOwner } from './leftovers.ts'

/** Databases that are not where the service looks for them, because somebody renamed them. */
export interface MisplacedDatabases {
  /** Sandboxes whose database belongs to another sandbox. */
  foreign: { id: string; ofSandbox: string }[]
  /** The names of databases that a reset or removal of another sandbox has set aside. */
  setAside: string[]
}

export interface MisplacedDeps extends InventoryDeps {
  servers: Pick<TenantServers, 'present' | 'of'>
}

export async function findMisplaced(deps: MisplacedDeps): Promise<MisplacedDatabases> {
  const foreign: MisplacedDatabases['foreign'] = []
  for await (const { servers, rows } of takeInventory(deps)) {
    for (const { id, serverId } of rows.values()) {
      const found = serverId === null ? undefined : servers.get(serverId)?.databases.get(id)
      if (serverId === null || found === undefined) continue
      const { metadata } = await withOwner(deps.servers.of(serverId), id, found)
      if (metadata?.ofSandbox !== undefined) foreign.push({ id, ofSandbox: metadata.ofSandbox })
    }
  }
  const setAside = await Promise.all(deps.servers.present().map(({ tenants }) => tenants.listSetAside()))
  return { foreign, setAside: setAside.flat() }
}
