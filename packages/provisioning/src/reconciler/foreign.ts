import type { TenantServers } from '../tenants/index.ts'
import { type InventoryDeps, takeInventory } from './inventory.ts'
import { withOwner } from './leftovers.ts'

/** A sandbox under whose database name there is the database of another sandbox, because somebody renamed it. */
export interface ForeignDatabase {
  id: string
  ofSandbox: string
}

export interface ForeignDeps extends InventoryDeps {
  servers: Pick<TenantServers, 'present' | 'of'>
}

export async function findForeign(deps: ForeignDeps): Promise<ForeignDatabase[]> {
  const foreign: ForeignDatabase[] = []
  for await (const { servers, rows } of takeInventory(deps)) {
    for (const { id, serverId } of rows.values()) {
      const found = serverId === null ? undefined : servers.get(serverId)?.databases.get(id)
      if (serverId === null || found === undefined) continue
      const { metadata } = await withOwner(deps.servers.of(serverId), id, found)
      if (metadata?.ofSandbox !== undefined) foreign.push({ id, ofSandbox: metadata.ofSandbox })
    }
  }
  return foreign
}
