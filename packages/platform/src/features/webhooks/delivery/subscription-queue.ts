import type { BodyCache } from './body-cache.ts'
import type { Delivery, Outcome } from './make-attempt.ts'

/** A delivery that this process has claimed. */
export interface Job extends Delivery {
  deliveryId: string
  eventId: string
  leasedUntil: Date
  triesLeft: number
}

/** The deliveries of one subscription. Subscriptions do not wait for each other. */
export interface SubscriptionQueue {
  running: number
  ready: Job[]
  /** Whether there can be due deliveries that are not claimed yet. */
  hasMore: boolean
  isQuick: boolean
  /** The moving average of how long attempts take. null: no attempt has ended yet. */
  averageMs: number | null
}

/** The total and the mean size of the claimed events. */
export type HeldBytes = Pick<BodyCache, 'bytes' | 'averageBytes'>

/** The maximum number of concurrent attempts of a subscription whose receiver is not known to be quick. */
export const SLOTS = 10
/** The maximum for a quick receiver, which works on further requests while this process handles responses. */
export const QUICK_SLOTS = 20
/** Deliveries are claimed ahead for a receiver that answers quickly, about as many as it can answer in this time. */
const AHEAD_MS = 1_000
const MAX_AHEAD = 2_000
/** Limit for the bytes of events that are claimed ahead for one subscription. */
const MAX_AHEAD_BYTES = 8 * 1024 * 1024
/** A receiver becomes quick when its attempts take less than this on average. */
const QUICK_MS = 50
/** Above this average a quick receiver becomes slow: deliveries claimed ahead could lose their lease while waiting. */
const SLOW_MS = 250
/** Limit for the bytes of all claimed events; above it nothing is claimed ahead. */
const MAX_BYTES = 32 * 1024 * 1024

export function newSubscriptionQueue(): SubscriptionQueue {
  return { running: 0, ready: [], hasMore: true, isQuick: false, averageMs: null }
}

/** The maximum number of concurrent attempts of the subscription. */
export const slotsOf = ({ isQuick }: SubscriptionQueue): number => (isQuick ? QUICK_SLOTS : SLOTS)

/**
 * How many more deliveries to claim for the subscription. Deliveries are claimed ahead in batches: the result is 0 if
 * it would be less than half of the number to claim ahead.
 */
export function wantedClaims(queue: SubscriptionQueue, held: HeldBytes): number {
  const ahead = claimsAhead(queue, held)
  const free = slotsOf(queue) + ahead - queue.running - queue.ready.length
  return free >= Math.max(1, ahead / 2) ? free : 0
}

export function needsMore(queue: SubscriptionQueue, held: HeldBytes): boolean {
  return queue.hasMore && wantedClaims(queue, held) > 0
}

export function noteOutcome(queue: SubscriptionQueue, { durationMs, isUnsent }: Outcome): void {
  if (isUnsent) return
  queue.averageMs = (queue.averageMs ?? durationMs) * 0.8 + durationMs * 0.2
  queue.isQuick = queue.averageMs < (queue.isQuick ? SLOW_MS : QUICK_MS)
}

function claimsAhead({ isQuick, averageMs }: SubscriptionQueue, { bytes, averageBytes }: HeldBytes): number {
  if (!isQuick || averageMs === null || bytes >= MAX_BYTES) return 0
  const taken = (QUICK_SLOTS * AHEAD_MS) / Math.max(1, averageMs)
  return Math.floor(Math.min(MAX_AHEAD, taken, MAX_AHEAD_BYTES / Math.max(1, averageBytes)))
}
