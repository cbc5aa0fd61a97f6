import { LIMITS, problems } from '@storey/contract'
import { type Queryable, serverTime } from '@storey/kit/database'
import { restoreExpired } from './expiry.store.ts'
import { findAny, type SandboxRow } from './sandboxes.store.ts'

const DAY_MS = 86_400_000

/** Restores an expired sandbox within its grace period. Only the operator may do so, because no quota is checked. */
export async function restoreSandbox(control: Queryable, id: string, days?: number): Promise<SandboxRow> {
  const ttlDays = days ?? LIMITS.sandbox.ttlDays.default
  const expiresAt = new Date((await serverTime(control)).getTime() + ttlDays * DAY_MS)
  const restored = await restoreExpired(control, id, expiresAt)
  const row = await findAny(control, id)
  if (!row) throw problems.notFound('sandbox')
  if (!restored) throw problems.conflict('status', 'The sandbox is not expired, or is being removed')
  return row
}
