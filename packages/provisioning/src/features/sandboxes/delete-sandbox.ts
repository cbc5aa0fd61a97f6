import { problems } from '@storey/contract'
import type { Precondition } from '@storey/kit/http'
import type { Caller } from '../../caller.ts'
import { versionOfRow } from './record.ts'
import type { SandboxDeps } from './sandbox-deps.ts'
import { findOwn, startRemoval } from './sandboxes.store.ts'

const LIMIT_MS = 30_000

/**
 * Removes a sandbox and all its data, even while it is being provisioned. Resolves when everything is removed, and
 * throws if that takes too long.
 */
export async function deleteSandbox(
  deps: SandboxDeps,
  caller: Caller,
  id: string,
  precondition: Precondition,
): Promise<void> {
  const row = await deps.control.transaction(async (tx) => {
    const found = await findOwn(tx, id, caller.developerId, true)
    if (!found) throw problems.notFound('sandbox')
    precondition.check(versionOfRow(found))
    await startRemoval(tx, id, caller.developerId, deps.clock.now())
    return found
  })
  deps.sandboxCache.invalidate(row.slug)
  if (await deps.reconciler.untilRemoved(id, deps.removalLimitMs ?? LIMIT_MS)) return
  throw problems.removing('The sandbox no longer accepts requests. Its data is still being removed', 10)
}
