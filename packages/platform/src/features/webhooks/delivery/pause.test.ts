import { LIMITS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { answering, type Receiver, startReceiver } from '../testing/receiver.ts'
import { startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'

// A probe is a delivery with one attempt. It tests whether a webhook works again after failures have paused it.
const { failuresToPause, probeAfterMs } = LIMITS.webhook
const HOUR = 3_600_000

let webhooks: Webhooks
let receiver: Receiver
let id: string
beforeAll(async () => {
  webhooks = await startWebhooks()
  receiver = await startReceiver()
})
afterAll(async () => {
  await webhooks.close()
  await receiver.close()
})
beforeEach(async () => {
  await webhooks.stack.db.run(sql`delete from webhooks`)
  receiver.answer(answering(500))
  receiver.received.length = 0
  id = (await webhooks.subscribe(receiver.url)).id
})

const fail = async (times: number) => {
  for (let i = 0; i < times; i++) await webhooks.observe()
}
/** Lets the webhook fail until it is paused and no retries are left. */
async function pausedAndQuiet(): Promise<void> {
  await fail(failuresToPause)
  for (let i = 0; i < 5; i++) await webhooks.pass(4 * HOUR)
  receiver.received.length = 0
}
const deliveries = async () =>
  (await webhooks.stack.db.row<{ n: number }>(sql`select count(*) as n from webhook_deliveries`))!.n

describe('a webhook', () => {
  it('[WHK-28, WHK-29] is paused by ten consecutive failures, and nothing new is queued for it', async () => {
    await fail(failuresToPause - 1)
    expect(await webhooks.read(id)).toMatchObject({ status: 'active', consecutiveFailures: 9, pausedAt: null })
    await fail(1)
    const pausedAt = webhooks.clock.now().toISOString()
    expect(await webhooks.read(id)).toMatchObject({
      ...{ status: 'paused', consecutiveFailures: 10, pausedAt, pausedBy: 'failures' },
    })
    const [queued, received] = [await deliveries(), receiver.received.length]
    webhooks.clock.advance(1000)
    await fail(3)
    expect([await deliveries(), receiver.received.length]).toEqual([queued, received])
    expect((await webhooks.read(id)).pausedAt).toBe(pausedAt)
  })

  it('[WHK-25, WHK-28] still gets deliveries that were queued before the pause', async () => {
    await fail(failuresToPause)
    for (let i = 0; i < 5; i++) await webhooks.pass(4 * HOUR)
    const byKey = Map.groupBy(receiver.received, ({ headers }) => headers['x-svc-idempotency-key'])
    expect([...byKey.values()].map((tries) => tries.length)).toEqual(Array(10).fill(6))
    expect(await webhooks.read(id)).toMatchObject({ status: 'paused', consecutiveFailures: 60 })
  })

  it('[WHK-33] counts its failures from zero after a success', async () => {
    await fail(failuresToPause - 1)
    receiver.answer(answering(200))
    await webhooks.observe()
    expect(await webhooks.read(id)).toMatchObject({ status: 'active', consecutiveFailures: 0 })
    receiver.answer(answering(500))
    await fail(failuresToPause - 1)
    expect(await webhooks.read(id)).toMatchObject({ status: 'active', consecutiveFailures: 9 })
  })

  it('[WHK-33] becomes active when a delivery that was queued before the pause succeeds', async () => {
    await fail(failuresToPause)
    receiver.answer(answering(200))
    await webhooks.pass(70_000)
    expect(await webhooks.read(id)).toMatchObject({ status: 'active', consecutiveFailures: 0, pausedAt: null })
  })

  it('counts concurrent results in the order in which they arrive', async () => {
    const codes = [500, 500, 200, ...Array(9).fill(500), 200, 500, 500]
    receiver.answer((_, response) => void response.writeHead(codes.shift() ?? 500).end())
    for (const _ of [...codes]) await webhooks.post()
    await webhooks.stack.webhooks().idle()
    expect(await webhooks.read(id)).toMatchObject({ status: 'active', consecutiveFailures: 2 })
  })

  it('[WHK-30, WHK-31] gets a probe after an hour, and is active again when a probe succeeds', async () => {
    await fail(failuresToPause)
    await webhooks.stack.db.run(sql`delete from webhook_deliveries`)
    receiver.received.length = 0
    await webhooks.pass(probeAfterMs - 1)
    await fail(1)
    expect(receiver.received).toEqual([])
    await webhooks.pass(1)
    await fail(3)
    expect(receiver.received).toHaveLength(1)
    const paused = { status: 'paused', consecutiveFailures: 11 }
    expect(await webhooks.read(id)).toMatchObject(paused)
    expect(await webhooks.attempts(id)).toMatchObject([{ attempt: 1, status: 'dead_letter', nextAttemptAt: null }])
    await webhooks.pass(probeAfterMs - 1)
    await fail(1)
    expect(receiver.received).toHaveLength(1)

    receiver.answer(answering(200))
    await webhooks.pass(1)
    await webhooks.observe()
    expect(receiver.received).toHaveLength(2)
    const active = { status: 'active', consecutiveFailures: 0, pausedAt: null }
    expect(await webhooks.read(id)).toMatchObject(active)
    await webhooks.observe()
    expect(receiver.received).toHaveLength(3)
  })

  it('[WHK-30] gets one probe, however many events arrive together', async () => {
    await pausedAndQuiet()
    await Promise.all(Array.from({ length: 20 }, () => webhooks.post()))
    await webhooks.stack.webhooks().idle()
    expect(receiver.received).toHaveLength(1)
    const rows = await webhooks.stack.db.rows(sql`
      select is_probe, max_attempts from webhook_deliveries d
      where created_at = ${webhooks.clock.now()}`)
    expect(rows).toEqual([{ is_probe: true, max_attempts: 1 }])
  })

  it('[WHK-32] becomes active immediately after a reset', async () => {
    await pausedAndQuiet()
    const reset = await webhooks.send('POST', `/${id}/reset-failures`)
    const active = { status: 'active', consecutiveFailures: 0, pausedAt: null }
    expect(reset).toMatchObject({ status: 200, body: active })
    receiver.answer(answering(200))
    await webhooks.observe()
    expect(receiver.received).toHaveLength(1)
    expect(await webhooks.read(id)).toMatchObject(active)
  })

  it('becomes active when a redelivery succeeds', async () => {
    await pausedAndQuiet()
    receiver.answer(answering(200))
    const { deliveryId } = (await webhooks.attempts(id))[0]!
    await webhooks.send('POST', `/${id}/deliveries/${deliveryId}/redeliver`)
    await webhooks.stack.webhooks().idle()
    expect(await webhooks.read(id)).toMatchObject({ status: 'active', consecutiveFailures: 0, pausedAt: null })
  })

  it('[WHK-49] reports a pause by a person, even if failures have paused it before', async () => {
    await pausedAndQuiet()
    const { headers } = await webhooks.send('GET', `/${id}`)
    await webhooks.send('PATCH', `/${id}`, { status: 'paused' })
    const paused = await webhooks.send('GET', `/${id}`)
    expect(paused.body).toMatchObject({ status: 'paused', consecutiveFailures: 60, pausedBy: 'person' })
    expect(paused.headers.etag).not.toBe(headers.etag)
    await webhooks.pass(HOUR)
    await webhooks.observe()
    expect(receiver.received).toHaveLength(0)
  })

  it('[WHK-04] gets nothing while a person has paused it', async () => {
    await fail(1)
    const pausedAt = webhooks.clock.now().toISOString()
    await webhooks.send('PATCH', `/${id}`, { status: 'paused' })
    await webhooks.observe()
    await webhooks.pass(2 * HOUR)
    await webhooks.observe()
    expect(receiver.received).toHaveLength(1)
    expect(await webhooks.read(id)).toMatchObject({ status: 'paused', pausedAt })
    expect(await webhooks.stack.webhooks().nextDue()).toBeNull()

    receiver.answer(answering(200))
    await webhooks.send('PATCH', `/${id}`, { status: 'active' })
    await webhooks.stack.webhooks().idle()
    // Only what was queued before the pause is sent.
    expect(receiver.received.map(({ headers }) => headers['x-svc-delivery-attempt'])).toEqual(['1', '2'])
    await webhooks.observe()
    expect(receiver.received).toHaveLength(3)
  })

  it('stays paused if a person pauses it during an attempt that then succeeds', async () => {
    let answer: () => void = () => undefined
    receiver.answer((_, response) => {
      answer = () => response.writeHead(200).end()
    })
    await webhooks.post()
    await receiver.waitFor(1)
    await webhooks.send('PATCH', `/${id}`, { status: 'paused' })
    answer()
    await webhooks.stack.webhooks().idle()
    expect(await webhooks.read(id)).toMatchObject({ status: 'paused', consecutiveFailures: 0 })
    expect(await webhooks.attempts(id)).toMatchObject([{ status: 'succeeded' }])
  })
})

describe('[STK-09] the next due time', () => {
  it('is the time of the next retry, and null for a webhook that waits for a probe', async () => {
    const { clock, stack } = webhooks
    expect(await stack.webhooks().nextDue()).toBeNull()
    await fail(1)
    const next = (await webhooks.attempts(id))[0]!.nextAttemptAt!
    expect((await stack.webhooks().nextDue())!.toISOString()).toBe(next)
    await fail(failuresToPause)
    for (let i = 0; i < 5; i++) await webhooks.pass(4 * HOUR)
    expect(await webhooks.read(id)).toMatchObject({ status: 'paused' })
    expect(await stack.webhooks().nextDue()).toBeNull()
    clock.advance(HOUR)
  })

  it('is the end of the lease for a delivery that is being sent', async () => {
    let answer: () => void = () => undefined
    receiver.answer((_, response) => {
      answer = () => response.writeHead(200).end()
    })
    await webhooks.post()
    await receiver.waitFor(1)
    const due = await webhooks.stack.webhooks().nextDue()
    expect(due!.getTime()).toBeGreaterThan(webhooks.clock.now().getTime() + LIMITS.webhook.timeoutMs)
    answer()
    await webhooks.stack.webhooks().idle()
    expect(await webhooks.stack.webhooks().nextDue()).toBeNull()
  })
})

describe('a probe', () => {
  it('[WHK-46] is not delayed when a clock that was ahead is set back', async () => {
    await pausedAndQuiet()
    const { clock } = webhooks
    const now = clock.now()
    clock.set(new Date(now.getTime() + 10 * 24 * HOUR))
    await fail(1)
    expect(receiver.received).toHaveLength(1)
    clock.set(now)
    await fail(1)
    expect(receiver.received).toHaveLength(2)
  })
})

describe('a delivery that was scheduled while the clock was ahead', () => {
  it.each(['next_attempt_at', 'leased_until'])('[WHK-46] is sent when the clock is set back (%s)', async (column) => {
    const { stack, clock } = webhooks
    const now = clock.now()
    clock.set(new Date(now.getTime() + 10 * 24 * HOUR))
    await webhooks.observe()
    expect(receiver.received).toHaveLength(1)
    clock.set(now)
    if (column === 'leased_until') {
      await stack.db.run(sql`update webhook_deliveries set leased_until = next_attempt_at, next_attempt_at = ${now}`)
    }
    receiver.answer(answering(200))
    await stack.restart()
    await receiver.waitFor(2)
    await stack.webhooks().idle()
    expect(receiver.received).toHaveLength(2)
    expect(await stack.db.rows(sql`select state from webhook_deliveries`)).toEqual([{ state: 'succeeded' }])
  })
})
