import { describe, expect, it } from 'vitest'
import type { Outcome } from './make-attempt.ts'
import {
  type Job,
  needsMore,
  newSubscriptionQueue,
  noteOutcome,
  QUICK_SLOTS,
  SLOTS,
  wantedClaims,
} from './subscription-queue.ts'

const SMALL = { bytes: 0, averageBytes: 1_000 }
const ready = (count: number): Job[] => Array.from({ length: count }, () => ({}) as Job)

/** A queue whose receiver takes this long for each delivery. */
function queueAt(durationMs: number) {
  const queue = newSubscriptionQueue()
  for (let i = 0; i < 50; i++) noteOutcome(queue, { durationMs } as Outcome)
  return queue
}

describe('the queue of a subscription', () => {
  it('claims as many as may be sent, until its receiver is known to be quick', () => {
    expect(wantedClaims(newSubscriptionQueue(), SMALL)).toBe(SLOTS)
    expect(wantedClaims(queueAt(1_000), SMALL)).toBe(SLOTS)
  })

  it('claims ahead about as many as the receiver takes in a second, up to a limit', () => {
    expect(wantedClaims(queueAt(40), SMALL)).toBe(QUICK_SLOTS + 500)
    expect(wantedClaims(queueAt(1), SMALL)).toBe(wantedClaims(queueAt(0), SMALL))
    expect(wantedClaims(queueAt(1), SMALL)).toBeGreaterThan(QUICK_SLOTS + 500)
  })

  it('claims fewer ahead if events are large, and none if many bytes are held', () => {
    expect(wantedClaims(queueAt(1), { bytes: 0, averageBytes: 512 * 1024 })).toBe(QUICK_SLOTS + 16)
    expect(wantedClaims(queueAt(1), { bytes: 64 * 1024 * 1024, averageBytes: 1_000 })).toBe(QUICK_SLOTS)
  })

  it('claims in batches: none before half of what was claimed ahead is sent', () => {
    const queue = queueAt(40)
    queue.ready = ready(280)
    expect(wantedClaims(queue, SMALL)).toBe(0)
    expect(needsMore(queue, SMALL)).toBe(false)
    queue.ready = ready(260)
    expect(wantedClaims(queue, SMALL)).toBe(QUICK_SLOTS + 240)
    expect(needsMore(queue, SMALL)).toBe(true)
  })
})
