import { LIMITS, problems } from '@storey/contract'
import type { Precondition } from '@storey/kit/http'
import type { Caller } from '../../caller.ts'
import { versionOfRow } from './record.ts'
import type { SandboxDeps } from './sandbox-deps.ts'
import { findOwn, type SandboxRow, setExpiry } from './sandboxes.store.ts'

const DAY_MS = 86_400_000

/** Moves the expiry. A call that is not refused uses up one of the sandbox's extensions. */
export async function extendSandbox(
  deps: SandboxDeps,
  caller: Caller,
  id: string,
  days: number,
  precondition: Precondition,
): Promise<SandboxRow> {
  const now = await deps.serverTime()
  return await deps.control.transaction(async (tx) => {
    const row = await findOwn(tx, id, caller.developerId, true)
    if (!row) throw problems.notFound('sandbox')
    precondition.check(versionOfRow(row))
    if (row.extensionsUsed >= LIMITS.sandbox.extensions) throw problems.extensionsExhausted()
    const expiresAt = new Date(row.expiresAt.getTime() + days * DAY_MS)
    const latest = new Date(now.getTime() + LIMITS.sandbox.ttlDays.max * DAY_MS)
    if (expiresAt > latest) throw problems.ttlTooLong(latest)
    return await setExpiry(tx, id, expiresAt)
  })
}
