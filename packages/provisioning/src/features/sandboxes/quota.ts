import { countOf, problems, type SandboxStatus } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import { countByStatus } from './sandboxes.store.ts'

/** Sandboxes with one of these statuses count towards the quota. Failed sandboxes do not. */
const ACTIVE: readonly SandboxStatus[] = ['provisioning', 'ready']

/**
 * Throws if the developer has `maxActive` active sandboxes. Call this in the transaction that activates the sandbox,
 * after `lockOwner`. The default of `maxActive` is in `contract/src/limits.ts`, and the quotas of other records are in
 * `contract/src/quotas.ts`.
 */
export async function checkSandboxQuota(
  tx: Tx,
  { maxActive }: { maxActive: number },
  developerId: string,
): Promise<void> {
  const used = await countByStatus(tx, developerId, ACTIVE)
  if (used < maxActive) return
  const detail = `You have ${countOf(used, 'active sandbox', 'active sandboxes')}, and at most ${maxActive} may be active: delete one first`
  throw problems.quotaExceeded('sandboxes', maxActive, used, detail)
}
