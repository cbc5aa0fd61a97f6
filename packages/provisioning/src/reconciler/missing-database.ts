import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { DATABASE_MISSING, findAny, setFound, setMissing } from '../features/sandboxes/index.ts'
import type { Tenants } from '../tenants/index.ts'
import type { Inventory } from './inventory.ts'
import type { Attempt } from './sweep-failures.ts'

export interface MissingDatabaseDeps {
  control: Database
  tenants: Pick<Tenants, 'metadataOf'>
  log: Log
  /** Called when the state of a sandbox changed. */
  onChange(slug: string): void
}

/**
 * Marks a ready sandbox without a database as failed, and returns true for it. Such a sandbox was probably deleted
 * after the backup from which the control database was restored.
 */
export async function failWithoutDatabase(deps: MissingDatabaseDeps, id: string): Promise<boolean> {
  const { control, tenants, log, onChange } = deps
  const row = await findAny(control, id)
  if (row?.status !== 'ready' || (await tenants.metadataOf(id)) !== undefined) return false
  if (!(await setMissing(control, id, row.requestedAt))) return false
  log.error({ sandboxId: id, slug: row.slug }, 'sandbox database missing, reset or delete the sandbox')
  onChange(row.slug)
  return true
}

export interface CheckDatabasesDeps extends MissingDatabaseDeps {
  tenants: Pick<Tenants, 'metadataOf' | 'ensureRole'>
}

/** Checks whether the databases of ready sandboxes exist. A sandbox whose database was restored is ready again. */
export async function checkDatabases(
  deps: CheckDatabasesDeps,
  { databases, rows }: Inventory,
  attempt: Attempt,
): Promise<void> {
  const { control, tenants, log, onChange } = deps
  for (const { id, slug, status, failureReason, requestedAt, expiredAt, removingAt } of rows.values()) {
    if (expiredAt || removingAt) continue
    const found = databases.get(id)
    const metadata = found?.isHalfDropped ? undefined : found
    if (status === 'ready' && metadata === undefined) await failWithoutDatabase(deps, id)
    if (metadata === undefined || status !== 'failed' || failureReason !== DATABASE_MISSING) continue
    const isSame = metadata.requestedAt === undefined || metadata.requestedAt.getTime() === requestedAt.getTime()
    if (!isSame) continue
    await attempt(id, 'bring back', async () => {
      await tenants.ensureRole(id)
      if (!(await setFound(control, id, requestedAt))) return
      log.warn({ sandboxId: id, slug }, 'sandbox database found again, sandbox ready')
      onChange(slug)
    })
  }
}
