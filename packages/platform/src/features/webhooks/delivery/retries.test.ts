import { LIMITS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { createOutbound, type Outbound } from '@storey/kit/outbound'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SEAL_KEY } from '../../../testing/test-stack.ts'
import { createSecretVault } from '../subscriptions/secret-vault.ts'
import { answering, type Receiver, startReceiver } from '../testing/receiver.ts'
import { startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'

const DELIVERIES = 500
const { attempts, delaysMs, jitter } = LIMITS.webhook

let webhooks: Webhooks
let receiver: Receiver
let second: Dispatcher
let sentBySecond = 0
beforeAll(async () => {
  webhooks = await startWebhooks()
  receiver = await startReceiver(answering(500))
  const { db } = webhooks.stack
  const outbound = createOutbound({ allowLocal: true })
  const counting: Outbound = {
    ...outbound,
    send(...request) {
      sentBySecond++
      return outbound.send(...request)
    },
  }
  second = createDispatcher({
    db,
    clock: webhooks.clock,
    outbound: counting,
    vault: createSecretVault(SEAL_KEY),
    log: silentLog,
  })
})
afterAll(async () => {
  await second.close()
  await webhooks.close()
  await receiver.close()
})

const idle = () => Promise.all([webhooks.stack.webhooks().idle(), second.idle()])

describe('five hundred deliveries that fail, with two dispatchers', () => {
  it('[WHK-25, WHK-26, WHK-27] have six attempts each, with delays spread around their nominal values', async () => {
    const { stack, clock } = webhooks
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.queue(DELIVERIES)

    const waits: number[][] = []
    for (const delayMs of delaysMs) {
      await idle()
      // The clock does not move while the deliveries are sent, so all attempts have the same time.
      const now = clock.now()
      const readFailed = () =>
        stack.db.rows<{ nextAttemptAt: Date }>(sql`
          select next_attempt_at as "nextAttemptAt" from webhook_attempts
          where attempted_at = ${now} and status = 'failed'`)
      // One dispatcher can be idle for a moment before the other wakes it.
      await expect.poll(readFailed, { timeout: 20_000 }).toHaveLength(DELIVERIES)
      const rows = await readFailed()
      waits.push(rows.map(({ nextAttemptAt }) => (nextAttemptAt.getTime() - now.getTime()) / delayMs))
      const [first, last] = await pendingBetween(id)
      clock.set(new Date(first.getTime() - 1))
      await idle()
      expect(receiver.received).toHaveLength(waits.length * DELIVERIES)
      clock.set(last)
    }
    for (const [i, ratios] of waits.entries()) {
      expect(Math.min(...ratios), `wait ${i + 1}`).toBeGreaterThanOrEqual(1 - jitter)
      expect(Math.max(...ratios), `wait ${i + 1}`).toBeLessThanOrEqual(1 + jitter)
      const tenths = Map.groupBy(ratios, (ratio) => Math.floor(((ratio - 1 + jitter) / (2 * jitter)) * 10))
      // Of 500 evenly spread delays about 50 are in each tenth.
      for (let tenth = 0; tenth < 10; tenth++) expect(tenths.get(tenth)!.length).toBeGreaterThan(15)
    }

    await idle()
    clock.advance(2 * 86_400_000)
    await idle()
    const byKey = Map.groupBy(receiver.received, ({ headers }) => headers['x-svc-idempotency-key'])
    expect(byKey.size).toBe(DELIVERIES)
    const numbers = Array.from({ length: attempts }, (_, i) => String(i + 1))
    for (const tries of byKey.values()) {
      expect(tries.map(({ headers }) => headers['x-svc-delivery-attempt'])).toEqual(numbers)
      expect(tries.every(({ body }) => body.equals(tries[0]!.body))).toBe(true)
    }
    expect(new Set(receiver.received.map(({ json }) => json.data.number)).size).toBe(DELIVERIES)

    const states = await stack.db.rows(sql`select distinct state from webhook_deliveries`)
    expect(states).toEqual([{ state: 'dead_letter' }])
    expect((await webhooks.attempts(id)).map(({ status }) => status)).toEqual(Array(50).fill('dead_letter'))
    expect(await webhooks.read(id)).toMatchObject({ status: 'paused', consecutiveFailures: DELIVERIES * attempts })
    expect(sentBySecond).toBeGreaterThan(0)
    expect(sentBySecond).toBeLessThan(DELIVERIES * attempts)
  }, 120_000)

  async function pendingBetween(id: string): Promise<[first: Date, last: Date]> {
    const row = await webhooks.stack.db.row<{ first: Date; last: Date }>(sql`
      select min(next_attempt_at) as first, max(next_attempt_at) as last from webhook_deliveries
      where webhook_id = ${id} and state = 'pending'`)
    return [row!.first, row!.last]
  }
})
