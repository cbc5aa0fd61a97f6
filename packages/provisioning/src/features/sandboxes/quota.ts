import { problems } from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import { countActive } from './sandboxes.store.ts'

/** Call it under the developer's lock, in the transaction that makes one more sandbox active. */
export async function checkQuota(
  tx: Tx,
  { maxActive }: { maxActive: number },
  developerId: string,
  now: Date,
): Promise<void> {
  if ((await countActive(tx, developerId, now)) >= maxActive) {
    throw problems.quotaExceeded(`${maxActive} sandboxes are active already: delete one first`)
  }
}
