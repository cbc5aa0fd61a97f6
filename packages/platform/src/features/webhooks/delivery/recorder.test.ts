import { randomUUID } from 'node:crypto'
import { type Queryable, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'
import { type Claim, claimDue } from './claims.store.ts'
import { createRecorder } from './recorder.ts'
import { deleteDelivered, type Result } from './results.store.ts'
import { deleteEvents } from './retention.store.ts'

let webhooks: Webhooks
let id: string
beforeAll(async () => {
  webhooks = await startWebhooks()
})
beforeEach(async () => {
  const { stack } = webhooks
  await stack.db.run(sql`delete from webhooks`)
  await stack.db.run(sql`delete from outbound_events`)
  id = (await webhooks.subscribe('http://127.0.0.1:9/')).id
})
afterAll(() => webhooks.close())

const LEASE_MS = 30_000

/** Queues events and claims their deliveries. */
async function claimed(count: number): Promise<Claim[]> {
  await webhooks.queue(count)
  const now = webhooks.clock.now()
  const [leaseUntil, latestLease] = [LEASE_MS, 2 * LEASE_MS].map((ms) => new Date(now.getTime() + ms)) as [Date, Date]
  const limits = new Map([[id, count]])
  return claimDue(webhooks.stack.db, { now, leaseUntil, latestLease, defaultLimit: 0, limits, held: [] })
}

/** The result of an attempt for a claim. The attempt starts `n` milliseconds after the time of the clock. */
function resultOf({ deliveryId, attempt }: Claim, n: number, status = 200): Result {
  const now = webhooks.clock.now().getTime()
  const isSuccess = status === 200
  const outcome = { isSuccess, httpCode: status, responseBody: '', error: null, durationMs: 1 }
  return {
    ...{ deliveryId, webhookId: id, attempt, leasedUntil: new Date(now + LEASE_MS) },
    outcome: { ...outcome, attemptedAt: new Date(now + n) },
    nextAttemptAt: isSuccess ? null : new Date(now + 60_000),
  }
}

/** Writes the results together. Returns the ids of the deliveries whose results were reported as written. */
async function record(results: readonly Result[]): Promise<string[]> {
  const written: string[] = []
  const { clock, stack } = webhooks
  const recorder = createRecorder({
    ...{ db: stack.db, clock, log: silentLog },
    onRecorded: (recorded) => written.push(...recorded.map(({ deliveryId }) => deliveryId)),
  })
  for (const result of results) recorder.add(result)
  await recorder.idle()
  return written
}

const stored = () =>
  webhooks.stack.db.rows<{ id: string; state: string }>(sql`
    select d.id, d.state from webhook_deliveries d join outbound_events e on e.id = d.event_id`)
const listed = async () => (await webhooks.attempts(id)).map(({ deliveryId }) => deliveryId)

/** How often this connection has read all deliveries since it last reported its statistics. */
async function wholeReads(tx: Queryable): Promise<number> {
  const row = await tx.row<{ n: number }>(sql`
    select seq_scan as n from pg_stat_xact_user_tables where relname = 'webhook_deliveries'`)
  return row!.n
}

describe('results that are written together', () => {
  it('[WHK-34] leave the last 50 attempts, and delete other deliveries that succeeded, with their events', async () => {
    const claims = await claimed(120)
    const last = claims.slice(70).map(({ deliveryId }) => deliveryId)
    expect(await record(claims.map((claim, n) => resultOf(claim, n)))).toEqual(last)
    expect(await listed()).toEqual(last.toReversed())
    expect(new Set((await stored()).map((row) => row.id))).toEqual(new Set(last))
    const events = await webhooks.stack.db.row<{ n: number }>(sql`select count(*) as n from outbound_events`)
    expect(events!.n).toBe(50)
  })

  it('[WHK-41] do not change a delivery whose lease was taken over', async () => {
    const claims = await claimed(60)
    const { deliveryId } = claims[0]!
    const other = new Date(webhooks.clock.now().getTime() + LEASE_MS + 1)
    await webhooks.stack.db.run(sql`update webhook_deliveries set leased_until = ${other} where id = ${deliveryId}`)
    await record(claims.map((claim, n) => resultOf(claim, n)))
    const rows = await stored()
    expect(rows).toHaveLength(51)
    expect(rows).toContainEqual({ id: deliveryId, state: 'pending' })
  })

  it('keep an event that another delivery still needs', async () => {
    const claims = await claimed(60)
    const { eventId } = claims[0]!
    const { db } = webhooks.stack
    await db.run(sql`
      insert into webhook_deliveries (id, webhook_id, event_id, max_attempts, next_attempt_at, created_at)
      values (${randomUUID()}, ${id}, ${eventId}, 6, now(), now())`)
    await record(claims.map((claim, n) => resultOf(claim, n)))
    expect(await db.rows(sql`select id from outbound_events where id = ${eventId}`)).toHaveLength(1)
    expect(await stored()).toHaveLength(51)
  })

  it('delete an event if all of its deliveries are deleted', async () => {
    const claims = await claimed(60)
    const { db } = webhooks.stack
    const second = await db.row<{ id: string }>(sql`
      insert into webhook_deliveries (webhook_id, event_id, attempts, max_attempts, next_attempt_at, leased_until, created_at)
      select webhook_id, event_id, attempts, max_attempts, next_attempt_at, leased_until, created_at
      from webhook_deliveries where id = ${claims[0]!.deliveryId} returning id`)
    const both = [{ ...claims[0]!, deliveryId: second!.id }, ...claims]
    await record(both.map((claim, n) => resultOf(claim, n)))
    expect(await db.rows(sql`select id from outbound_events where id = ${claims[0]!.eventId}`)).toEqual([])
    expect(await stored()).toHaveLength(50)
  })

  it('delete their deliveries and events without reading all deliveries', async () => {
    const claims = await claimed(450)
    await webhooks.queue(3_000)
    const { db } = webhooks.stack
    await db.run(sql`analyze webhook_deliveries`)
    await db.transaction(async (tx) => {
      const before = await wholeReads(tx)
      await deleteDelivered(
        tx,
        claims.map((claim, n) => resultOf(claim, n)),
      )
      expect(await wholeReads(tx)).toBe(before)
      await deleteEvents(
        tx,
        claims.map(({ eventId }) => eventId),
      )
      expect(await wholeReads(tx)).toBe(before)
    })
    expect(await stored()).toHaveLength(3_000)
  })

  it('[WHK-33] are all written if an attempt failed, so that failures after the last success are counted', async () => {
    const claims = await claimed(60)
    await record(claims.map((claim, n) => resultOf(claim, n, n === 0 || n > 57 ? 500 : 200)))
    expect(await stored()).toHaveLength(60)
    expect(await webhooks.read(id)).toMatchObject({ consecutiveFailures: 2 })
  })
})
