import type { CheckedTime } from '@storey/kit/clock-check'
import type { Database, Tx } from '@storey/kit/database'
import { createFairSlots } from '@storey/kit/fair-slots'
import type { Log } from '@storey/kit/log'
import { startExpired, startPurge, undoExpired } from '../features/sandboxes/index.ts'

export interface ExpireDeps {
  control: Database
  log: Log
  /** How long an expired sandbox can be restored. */
  expiryGraceMs: number
  stopStack(sandboxId: string): Promise<void>
  /** Called when the state of a sandbox changed. */
  onChange(slug: string): void
  /** Throws if this control plane does not lead. Called in the transaction that changes rows. */
  fence?(tx: Tx): Promise<void>
  /** The maximum number of sandboxes that one transaction expires, and of those whose removal it starts. */
  expiryBatch?: number
}

/** Clocks that differ by less than this are regarded as equal. */
const TOLERANCE_MS = 60_000
const BATCH = 500

/** Stacks that are being stopped because their sandboxes expired, a few at a time. */
const stops = createFairSlots({ perGroup: 20, holdMs: 30_000 })

/**
 * Expires the sandboxes that are past their expiry, and starts the removal of those whose grace period is over. An
 * expired sandbox is invisible immediately. If a clock that was ahead expired a sandbox too early, the sandbox is
 * restored.
 */
export async function expire(
  deps: ExpireDeps,
  time: CheckedTime,
  abortWork: (sandboxId: string) => void,
): Promise<void> {
  const { log, onChange, expiryBatch = BATCH } = deps
  for (let isMore = true; isMore; ) {
    const { expired, restored, purged } = await changeRows(deps, time, expiryBatch)
    for (const { id, slug } of expired) {
      log.info({ sandboxId: id, slug }, 'sandbox expired')
      abortWork(id)
      onChange(slug)
      stopSoon(deps, id)
    }
    for (const { id, slug } of restored) {
      log.warn({ sandboxId: id, slug }, 'sandbox restored, a clock that was ahead had expired it')
      onChange(slug)
    }
    isMore = expired.length === expiryBatch || purged === expiryBatch
  }
}

function stopSoon({ log, stopStack }: ExpireDeps, sandboxId: string): void {
  stops.enter(sandboxId, (leave) => {
    stopStack(sandboxId)
      .catch((err) => log.error({ err, sandboxId }, 'could not stop stack of expired sandbox'))
      .finally(leave)
  })
}

/**
 * Changes rows only while this process leads. A process that was frozen has an old time, and must not restore sandboxes
 * that another process has expired since then.
 */
async function changeRows(
  { control, expiryGraceMs, fence }: ExpireDeps,
  { now, mayExpire, mayRemove }: CheckedTime,
  limit: number,
) {
  if (!mayExpire && !mayRemove) return { expired: [], restored: [], purged: 0 }
  return await control.transaction(async (tx) => {
    await fence?.(tx)
    const expired = mayExpire ? await startExpired(tx, now, limit) : []
    const restored = mayExpire ? await undoExpired(tx, new Date(now.getTime() + TOLERANCE_MS)) : []
    const purged = mayRemove ? await startPurge(tx, new Date(now.getTime() - expiryGraceMs), now, limit) : 0
    return { expired, restored, purged }
  })
}
