import type { Delivery, Outcome } from './make-attempt.ts'

/** A delivery that this process has claimed. */
export interface Job extends Delivery {
  deliveryId: string
  webhookId: string
  eventId: string
  leasedUntil: Date
  triesLeft: number
}

/** What goes to one subscription. It waits for nobody else, and nobody for it. */
export interface Lane {
  running: number
  ready: Job[]
  /** More may be due than was claimed. */
  hasMore: boolean
  isQuick: boolean
  averageMs: number
}

/** Attempts at a time. */
export const SLOTS = 10
/** For a receiver that answers quickly, so many are claimed beforehand: they wait for seconds at most. */
const AHEAD = 200
const QUICK_MS = 50
/** From here on it is quick no more: what is claimed beforehand would wait for its lease to end. */
const SLOW_MS = 250
/** For all that is claimed. Above it nothing is claimed beforehand. */
const MOST_BYTES = 32 * 1024 * 1024

export function newLane(): Lane {
  return { running: 0, ready: [], hasMore: true, isQuick: false, averageMs: 0 }
}

/** How many more may be claimed for it. */
export function roomIn(lane: Lane, heldBytes: number): number {
  const ahead = lane.isQuick && heldBytes < MOST_BYTES ? AHEAD : 0
  return Math.max(0, SLOTS + ahead - lane.running - lane.ready.length)
}

/** Whether it is time to claim more: of those beforehand not one by one. */
export function isHungry(lane: Lane, heldBytes: number): boolean {
  return lane.hasMore && roomIn(lane, heldBytes) >= (lane.isQuick ? AHEAD / 2 : 1)
}

export function noteOutcome(lane: Lane, { durationMs }: Outcome): void {
  lane.averageMs = lane.averageMs * 0.8 + durationMs * 0.2
  lane.isQuick = lane.averageMs < (lane.isQuick ? SLOW_MS : QUICK_MS)
}
