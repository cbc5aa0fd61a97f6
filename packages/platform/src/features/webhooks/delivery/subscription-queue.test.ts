import { systemClock } from '@storey/kit/clock'
import { createOutbound } from '@storey/kit/outbound'
import { describe, expect, it } from 'vitest'
import { makeAttempt, type Outcome } from './make-attempt.ts'
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

/** A queue whose receiver takes `durationMs` for each delivery. */
function queueAt(durationMs: number) {
  const queue = newSubscriptionQueue()
  for (let i = 0; i < 50; i++) noteOutcome(queue, { durationMs } as Outcome)
  return queue
}

describe('the queue of a subscription', () => {
  it('claims only as many deliveries as may be sent at a time, until its receiver is known to be quick', () => {
    expect(wantedClaims(newSubscriptionQueue(), SMALL)).toBe(SLOTS)
    expect(wantedClaims(queueAt(1_000), SMALL)).toBe(SLOTS)
  })

  it('regards its receiver as quick when the average duration of its attempts, including the first, is short', () => {
    const queue = newSubscriptionQueue()
    noteOutcome(queue, { durationMs: 200 } as Outcome)
    expect(queue).toMatchObject({ isQuick: false, averageMs: 200 })
    for (let i = 0; i < 10; i++) noteOutcome(queue, { durationMs: 5 } as Outcome)
    expect(queue.isQuick).toBe(true)
  })

  it('ignores the duration of an attempt that sends nothing because the secret cannot be read', async () => {
    const outbound = createOutbound({ allowLocal: true })
    const delivery = { webhookId: '', idempotencyKey: '', attempt: 1, body: Buffer.alloc(0), signers: null }
    const outcome = await makeAttempt(outbound, systemClock, { ...delivery, to: outbound.to('http://127.0.0.1:9/') })
    expect(outcome).toMatchObject({ isSuccess: false, durationMs: 0 })
    const queue = newSubscriptionQueue()
    noteOutcome(queue, outcome)
    expect(queue.isQuick).toBe(false)
  })

  it('claims ahead about as many deliveries as the receiver takes in a second, up to a limit', () => {
    expect(wantedClaims(queueAt(40), SMALL)).toBe(QUICK_SLOTS + 500)
    expect(wantedClaims(queueAt(1), SMALL)).toBe(wantedClaims(queueAt(0), SMALL))
    expect(wantedClaims(queueAt(1), SMALL)).toBeGreaterThan(QUICK_SLOTS + 500)
  })

  it('claims fewer deliveries ahead if events are large, and none ahead if many bytes are held', () => {
    expect(wantedClaims(queueAt(1), { bytes: 0, averageBytes: 512 * 1024 })).toBe(QUICK_SLOTS + 16)
    expect(wantedClaims(queueAt(1), { bytes: 64 * 1024 * 1024, averageBytes: 1_000 })).toBe(QUICK_SLOTS)
  })

  it('claims in batches: it claims again when half of the deliveries that were claimed ahead are sent', () => {
    const queue = queueAt(40)
    queue.ready = ready(280)
    expect(wantedClaims(queue, SMALL)).toBe(0)
    expect(needsMore(queue, SMALL)).toBe(false)
    queue.ready = ready(260)
    expect(wantedClaims(queue, SMALL)).toBe(QUICK_SLOTS + 240)
    expect(needsMore(queue, SMALL)).toBe(true)
  })
})
