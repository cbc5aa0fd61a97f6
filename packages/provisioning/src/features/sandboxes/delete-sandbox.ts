import { problems } from '@storey/contract'
import type { Caller } from '../../caller.ts'
import { findOwn, startRemoval } from './sandboxes.store.ts'
import type { SandboxDeps } from './sandboxes.ts'

const LIMIT_MS = 30_000

/** Removes everything a sandbox owns, also while it is being made, and answers when it is gone. */
export async function deleteSandbox(deps: SandboxDeps, caller: Caller, id: string): Promise<void> {
  const row = await findOwn(deps.control, id, caller.developerId)
  if (!row || !(await startRemoval(deps.control, id, caller.developerId, deps.clock.now())))
    throw problems.notFound('sandbox')
  deps.doors.changed(row.slug)
  if (await deps.reconciler.untilRemoved(id, LIMIT_MS)) return
  throw problems.removing('The sandbox is closed, and its removal goes on', 10)
}
