import type { Database } from '@storey/kit/database'
import { DATABASE_MISSING, findAny, type OwnedRow } from '../features/sandboxes/index.ts'
import type { StackRuntime } from '../stacks/index.ts'
import type { TenantMetadata, Tenants } from '../tenants/index.ts'
import { type Inventory, takeInventory } from './inventory.ts'
import { deleteFromQuarantine, listQuarantine, listRemoved } from './leftovers.store.ts'
import { withWorkLock } from './work-lock.store.ts'

/** A database, role or folder that no sandbox owns. */
export interface Leftover {
  id: string
  kinds: ('database' | 'role' | 'folder')[]
  /** Whether it is certainly unowned: the control database shows that the sandbox was removed, or never created. */
  isProven: boolean
  /** When it was quarantined; null: not yet. */
  firstSeenAt: Date | null
}

export interface LeftoverDeps {
  control: Database
  tenants: Pick<Tenants, 'present' | 'drop'>
  runtime: Pick<StackRuntime, 'listFiles' | 'removeFiles'>
}

export const QUARANTINE_MS = 14 * 86_400_000

/**
 * A failed sandbox owns nothing, unless it failed because its database is missing: the database may be restored, so the
 * role and the files are kept.
 */
const ownsAnything = (row: Pick<OwnedRow, 'status' | 'failureReason'> | undefined): boolean =>
  row !== undefined && (row.status !== 'failed' || row.failureReason === DATABASE_MISSING)

/**
 * Whether a failed creation of the sandbox left this behind. A row that was restored from a backup may be `failed`
 * although the sandbox was created after the backup. The metadata of its database shows that.
 */
function isLeftByFailure(row: OwnedRow | undefined, metadata: TenantMetadata | undefined): boolean {
  if (row?.status !== 'failed') return false
  if (metadata === undefined) return true
  return metadata.result === undefined && metadata.requestedAt !== undefined && metadata.requestedAt <= row.requestedAt
}

/** Finds everything that no sandbox owns. */
export async function findLeftovers(deps: LeftoverDeps, inventory?: Inventory): Promise<Leftover[]> {
  const { control } = deps
  const { databases, roles, folders, rows } = inventory ?? (await takeInventory(deps))
  const unowned = [...new Set([...databases.keys(), ...roles, ...folders])].filter((id) => !ownsAnything(rows.get(id)))
  const removed = await listRemoved(control, unowned)
  const quarantine = new Map((await listQuarantine(control)).map(({ id, firstSeenAt }) => [id, firstSeenAt]))
  return unowned.sort().map((id) => ({
    id,
    kinds: [
      ...(databases.has(id) ? (['database'] as const) : []),
      ...(roles.has(id) ? (['role'] as const) : []),
      ...(folders.has(id) ? (['folder'] as const) : []),
    ],
    isProven: removed.has(id) || isLeftByFailure(rows.get(id), databases.get(id)),
    firstSeenAt: quarantine.get(id) ?? null,
  }))
}

/** Drops a leftover. False when a sandbox owns it, or when work on that sandbox is in progress. */
export async function dropLeftover({ control, tenants, runtime }: LeftoverDeps, id: string): Promise<boolean> {
  let dropped = false
  await control.session((session) =>
    withWorkLock(session, id, async () => {
      if (ownsAnything(await findAny(control, id))) return
      await tenants.drop(id)
      await runtime.removeFiles(id)
      await deleteFromQuarantine(control, id)
      dropped = true
    }),
  )
  return dropped
}
