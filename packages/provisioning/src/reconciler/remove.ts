import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Directory } from '../features/accounts/index.ts'
import { deleteRow, type SandboxRow } from '../features/sandboxes/index.ts'
import type { StackRuntime } from '../stacks/index.ts'
import { isIncomplete, type TenantMetadata, type TenantServers } from '../tenants/index.ts'

export interface RemoveDeps {
  control: Database
  servers: Pick<TenantServers, 'of' | 'present'>
  runtime: StackRuntime
  directory: Pick<Directory, 'removeTenant'> | undefined
  stopStack(sandboxId: string): Promise<void>
  log: Log
}

/**
 * Removes a sandbox. Its row is deleted last, so that an interrupted removal continues later. If the removal was
 * requested before or during an absence (a time in which the service did not run, `absence.ts`), a complete database
 * remains, and becomes a leftover.
 */
export async function remove(deps: RemoveDeps, row: SandboxRow): Promise<void> {
  const { control, servers, runtime, directory, stopStack, log } = deps
  await stopStack(row.id)
  await directory?.removeTenant({ tenantId: row.tenantId, slug: row.slug })
  const tenants = row.serverId === null ? undefined : servers.of(row.serverId)
  const isKept = row.keepsDatabase && isOfUse(await tenants?.metadataOf(row.id))
  if (!isKept) {
    await tenants?.dropSetAside(row.id)
    await dropSetAsideElsewhere(deps, row)
    await tenants?.drop(row.id)
    await runtime.removeFiles(row.id)
  }
  await deleteRow(control, row.id)
  if (isKept) log.warn({ sandboxId: row.id, slug: row.slug }, 'sandbox removed, its database is quarantined')
  else log.info({ sandboxId: row.id, slug: row.slug }, 'sandbox removed')
}

/**
 * Drops the databases that resets have set aside on other servers. Such a database remains on its server when the
 * sandbox is moved or gets another server. The removal does not wait for these servers: if one does not answer, or
 * refuses the drop, a later sweep finds the role that owns the database there.
 */
async function dropSetAsideElsewhere({ servers, log }: RemoveDeps, { id, serverId }: SandboxRow): Promise<void> {
  for (const server of servers.present()) {
    if (server.id === serverId) continue
    await server.tenants
      .dropSetAside(id)
      .catch((err) => log.warn({ err, sandboxId: id, server: server.id }, 'database that was set aside not dropped'))
  }
}

const isOfUse = (metadata: TenantMetadata | undefined): boolean => metadata !== undefined && !isIncomplete(metadata)
