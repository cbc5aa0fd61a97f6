import { createLoop } from '@storey/kit/background'
import { elapsedMs } from '@storey/kit/clock'
import type { Database, Lease, Tx } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { deletePlane, deleteSilentPlanes, lockLease, releaseLease, reportAlive } from './planes.store.ts'

export interface LeadershipOptions {
  /** A pool of its own, so that the lease is renewed even if requests use up the connections of the other pools. */
  db: Database
  planeId: string
  log: Log
  onGained(): void
  onLost(): void
  /**
   * Called after this leader has released the lease, to notify the other control planes: one of them then takes the
   * lease at once.
   */
  onReleased(): Promise<void>
  times?: LeaseTimes
}

export interface LeaseTimes {
  durationMs: number
  everyMs: number
}

/** If this control plane is killed or freezes, another one leads no later than six seconds afterwards. */
const TIMES: LeaseTimes = { durationMs: 5_000, everyMs: 1_000 }
/** The holder stops its work this long before the lease ends at the server. */
const MARGIN_MS = 500
const FORGET_AFTER_MS = 10 * 60_000

/** Thrown by `fence`: this control plane does not lead, or no longer leads, so its transaction must not write. */
export class LeadershipLost extends Error {
  override name = 'LeadershipLost'
}

/**
 * One of the control planes leads. It holds a lease in the database, which it renews every second. The monotonic clock
 * also runs while a process is frozen, so a leader that was frozen until its lease ended notices the end of the lease
 * as soon as it runs again.
 */
export function createLeadership(options: LeadershipOptions) {
  const { db, planeId, log } = options
  const { durationMs, everyMs } = options.times ?? TIMES
  const lease: Lease = { holder: planeId, durationMs }
  const loop = createLoop({ name: 'leadership', log, run, everyMs, retry: { firstMs: everyMs / 2, maxMs: everyMs } })
  let isCandidate = true
  let isLeading = false
  let heldUntil = Number.NEGATIVE_INFINITY
  let aliveUntil = Number.NEGATIVE_INFINITY
  let expiry: NodeJS.Timeout | undefined
  let forgetAt = 0
  let epoch = 0

  async function run(): Promise<void> {
    const askedAt = elapsedMs()
    if (askedAt >= aliveUntil) epoch++
    const leads = await reportAlive(db, planeId, isCandidate ? lease : undefined)
    aliveUntil = askedAt + durationMs - MARGIN_MS
    if (!leads || !isCandidate) return endLead()
    heldUntil = askedAt + durationMs - MARGIN_MS
    clearTimeout(expiry)
    expiry = setTimeout(() => !isLeader() && endLead(), Math.max(0, heldUntil - elapsedMs()) + 1).unref()
    if (!isLeading) {
      isLeading = true
      log.info({ planeId }, 'this control plane leads')
      options.onGained()
    }
    if (elapsedMs() >= forgetAt) {
      forgetAt = elapsedMs() + FORGET_AFTER_MS
      await deleteSilentPlanes(db, FORGET_AFTER_MS)
    }
  }

  function endLead(): void {
    heldUntil = Number.NEGATIVE_INFINITY
    clearTimeout(expiry)
    if (!isLeading) return
    isLeading = false
    log.info({ planeId }, 'this control plane no longer leads')
    options.onLost()
  }

  const isLeader = () => isLeading && elapsedMs() < heldUntil

  return {
    start: () => loop.start(),
    /** Tries to take the lease now, because it may be free. */
    wake: loop.wake,
    isLeader,
    /**
     * A number that increases when the last report of this control plane was so old that others may have taken over its
     * work. Undefined until this control plane has reported again.
     */
    aliveEpoch: (): number | undefined => (elapsedMs() < aliveUntil ? epoch : undefined),
    /**
     * Call it in the transaction of a write that only the leader may do. Throws if this control plane does not lead.
     */
    async fence(tx: Tx): Promise<void> {
      if (!isLeader() || !(await lockLease(tx, lease))) throw new LeadershipLost('this control plane does not lead')
    },
    /** Lets another control plane lead, before this one stops. */
    async resign(): Promise<void> {
      if (!isCandidate) return
      isCandidate = false
      const wasLeading = isLeading
      await loop.idle()
      endLead()
      await releaseLease(db, lease)
      if (wasLeading) await options.onReleased()
    },
    async close(): Promise<void> {
      await loop.stop()
      endLead()
      await deletePlane(db, planeId).catch(() => undefined)
    },
  }
}

export type Leadership = ReturnType<typeof createLeadership>
