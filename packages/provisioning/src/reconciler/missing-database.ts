import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { DATABASE_MISSING, findAny, setFound, setMissing } from '../features/sandboxes/index.ts'
import type { TenantServers } from '../tenants/index.ts'
import type { Inventory } from './inventory.ts'
import type { Attempt } from './sweep-failures.ts'

export interface MissingDatabaseDeps {
  control: Database
  servers: Pick<TenantServers, 'of'>
  log: Log
  /** Called when the state of a sandbox changed. */
  onChange(slug: string): void
}

/**
 * Marks a ready sandbox without a database as failed, and returns true for it. Such a sandbox was probably deleted
 * after the backup from which the control database was restored.
 */
export async function failWithoutDatabase(deps: MissingDatabaseDeps, id: string): Promise<boolean> {
  const { control, servers, log, onChange } = deps
  const row = await findAny(control, id)
  if (row?.status !== 'ready' || row.serverId === null) return false
  if ((await servers.of(row.serverId).metadataOf(id)) !== undefined) return false
  if (!(await setMissing(control, id, row.requestedAt))) return false
  log.error({ sandboxId: id, slug: row.slug }, 'sandbox database missing, reset or delete the sandbox')
  onChange(row.slug)
  return true
}

/** Checks whether the databases of ready sandboxes exist, on the servers that answer. A sandbox whose database was restored is ready again. */
export async function checkDatabases(
  deps: MissingDatabaseDeps,
  { servers: present, rows }: Inventory,
  attempt: Attempt,
): Promise<void> {
  const { control, servers, log, onChange } = deps
  for (const { id, slug, serverId, status, failureReason, requestedAt, expiredAt, removingAt } of rows.values()) {
    const databases = serverId === null ? undefined : present.get(serverId)?.databases
    if (expiredAt || removingAt || serverId === null || databases === undefined) continue
    const found = databases.get(id)
    const metadata = found?.isHalfDropped ? undefined : found
    if (status === 'ready' && metadata === undefined) await failWithoutDatabase(deps, id)
    if (metadata === undefined || status !== 'failed' || failureReason !== DATABASE_MISSING) continue
    const isSame = metadata.requestedAt === undefined || metadata.requestedAt.getTime() === requestedAt.getTime()
    if (!isSame) continue
    await attempt(id, 'bring back', async () => {
      await servers.of(serverId).ensureRole(id)
      if (!(await setFound(control, id, requestedAt))) return
      log.warn({ sandboxId: id, slug }, 'sandbox database found again, sandbox ready')
      onChange(slug)
    })
  }
}
