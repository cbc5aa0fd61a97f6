import { problems } from '@storey/contract'
import type { Precondition } from '@storey/kit/http'
import type { Caller } from '../../caller.ts'
import { lockOwner } from './lock-owner.ts'
import { checkSandboxQuota } from './quota.ts'
import { versionOfRow } from './record.ts'
import { refuseSuspended } from './refuse-suspended.ts'
import type { SandboxDeps } from './sandbox-deps.ts'
import { findOwn, restartProvisioning, type SandboxRow } from './sandboxes.store.ts'

/** Deletes all data and seeds the same building again, with the same ids and address. */
export async function resetSandbox(
  deps: SandboxDeps,
  caller: Caller,
  id: string,
  precondition: Precondition,
): Promise<SandboxRow> {
  const now = await deps.serverTime()
  const row = await deps.control.transaction(async (tx) => {
    await lockOwner(tx, caller.developerId)
    const found = await findOwn(tx, id, caller.developerId, true)
    if (!found) throw problems.notFound('sandbox')
    precondition.check(versionOfRow(found))
    refuseSuspended(found)
    if (found.status === 'provisioning') throw problems.conflict('status', 'The sandbox is being provisioned already')
    // The quota does not count a failed sandbox, but it counts the sandbox again after the reset.
    if (found.status === 'failed') await checkSandboxQuota(tx, deps, caller.developerId)
    return await restartProvisioning(tx, id, now)
  })
  deps.sandboxCache.invalidate(row.slug)
  // Without this call, the stack could still acknowledge observations after this response, on connections that are lent
  // to it. The reset would delete these observations.
  await deps.stacks.takeBackConnections(id)
  deps.reconciler.wake()
  return row
}
