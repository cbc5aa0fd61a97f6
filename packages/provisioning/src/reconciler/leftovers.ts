import type { Database } from '@storey/kit/database'
import { DATABASE_MISSING, findAny, listAll, type SandboxRow } from '../features/sandboxes/index.ts'
import type { StackRuntime } from '../stacks/index.ts'
import type { TenantMetadata, Tenants } from '../tenants/index.ts'
import { deleteFromQuarantine, listQuarantine, listRemoved } from './leftovers.store.ts'
import { withWorkLock } from './work-lock.store.ts'

/** A database, role or folder that no sandbox owns. */
export interface Leftover {
  id: string
  kinds: ('database' | 'role' | 'folder')[]
  /** Known to be nobody's: this control database removed the sandbox, or could not make it. */
  isProven: boolean
  /** Since when it is in quarantine; null when it is not yet. */
  firstSeenAt: Date | null
}

export interface LeftoverDeps {
  control: Database
  tenants: Pick<Tenants, 'present' | 'drop'>
  runtime: Pick<StackRuntime, 'listFiles' | 'removeFiles'>
}

export const QUARANTINE_MS = 14 * 86_400_000

/** A failed sandbox keeps its row and nothing else, unless its database may be brought back: that needs its role and files. */
const ownsAnything = (row: SandboxRow | undefined): boolean =>
  row !== undefined && (row.status !== 'failed' || row.failureReason === DATABASE_MISSING)

/** A row from a backup may say failed of a sandbox that was made since: then its database says that it is whole. */
function isLeftByFailure(row: SandboxRow | undefined, metadata: TenantMetadata | undefined): boolean {
  if (row?.status !== 'failed') return false
  if (metadata === undefined) return true
  return metadata.result === undefined && metadata.requestedAt !== undefined && metadata.requestedAt <= row.requestedAt
}

/**
 * What no sandbox owns. What there is gets listed before the sandboxes are: a row is there before its database and
 * goes after it, so nothing that is being made can be taken for a leftover.
 */
export async function findLeftovers({ control, tenants, runtime }: LeftoverDeps): Promise<Leftover[]> {
  const { databases, roles } = await tenants.present()
  const folders = (await runtime.listFiles()).filter((name) => /^sbx_[a-z0-9]+$/.test(name))
  const rows = new Map((await listAll(control)).map((row) => [row.id, row]))
  const unowned = [...new Set([...databases.keys(), ...roles, ...folders])].filter((id) => !ownsAnything(rows.get(id)))
  const removed = await listRemoved(control, unowned)
  const quarantine = new Map((await listQuarantine(control)).map(({ id, firstSeenAt }) => [id, firstSeenAt]))
  return unowned.sort().map((id) => ({
    id,
    kinds: [
      ...(databases.has(id) ? (['database'] as const) : []),
      ...(roles.includes(id) ? (['role'] as const) : []),
      ...(folders.includes(id) ? (['folder'] as const) : []),
    ],
    isProven: removed.has(id) || isLeftByFailure(rows.get(id), databases.get(id)),
    firstSeenAt: quarantine.get(id) ?? null,
  }))
}

/** False when a sandbox owns it by now, or someone is at work on it. */
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
