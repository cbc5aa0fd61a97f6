import { problems } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import { countActive } from './sandboxes.store.ts'

/** Call it under the developer's lock, in the transaction that activates the sandbox. */
export async function checkQuota(tx: Tx, { maxActive }: { maxActive: number }, developerId: string): Promise<void> {
  const used = await countActive(tx, developerId)
  if (used < maxActive) return
  const detail = `${used} sandboxes are active already, and at most ${maxActive} may be: delete one first`
  throw problems.quotaExceeded('sandboxes', maxActive, used, detail)
}
