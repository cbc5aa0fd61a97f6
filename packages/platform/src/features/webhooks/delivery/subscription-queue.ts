import type { Delivery, Outcome } from './make-attempt.ts'

/** A delivery that this process has claimed. */
export interface Job extends Delivery {
  deliveryId: string
  webhookId: string
  eventId: string
  leasedUntil: Date
  triesLeft: number
}

/** The deliveries of one subscription. Subscriptions do not wait for each other. */
export interface SubscriptionQueue {
  running: number
  ready: Job[]
  /** More may be due than was claimed. */
  hasMore: boolean
  isQuick: boolean
  averageMs: number
}

/** The most concurrent attempts of a subscription. */
export const SLOTS = 10
/** Deliveries claimed ahead for a receiver that answers quickly: they wait for seconds at most. */
const AHEAD = 200
const QUICK_MS = 50
/** Above this a receiver is slow: deliveries that are claimed in advance would wait until their lease ends. */
const SLOW_MS = 250
/** Limit for the bytes of all claimed events; above it nothing is claimed ahead. */
const MAX_BYTES = 32 * 1024 * 1024

export function newSubscriptionQueue(): SubscriptionQueue {
  return { running: 0, ready: [], hasMore: true, isQuick: false, averageMs: 0 }
}

/** How many more deliveries may be claimed for the subscription. */
export function freeSlots(queue: SubscriptionQueue, heldBytes: number): number {
  const ahead = queue.isQuick && heldBytes < MAX_BYTES ? AHEAD : 0
  return Math.max(0, SLOTS + ahead - queue.running - queue.ready.length)
}

/** Whether to claim more: claims made ahead come in batches. */
export function needsMore(queue: SubscriptionQueue, heldBytes: number): boolean {
  return queue.hasMore && freeSlots(queue, heldBytes) >= (queue.isQuick ? AHEAD / 2 : 1)
}

export function noteOutcome(queue: SubscriptionQueue, { durationMs }: Outcome): void {
  queue.averageMs = queue.averageMs * 0.8 + durationMs * 0.2
  queue.isQuick = queue.averageMs < (queue.isQuick ? SLOW_MS : QUICK_MS)
}
