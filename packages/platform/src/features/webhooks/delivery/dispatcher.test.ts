import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { movableClock } from '@storey/kit/clock'
import { type Database, readMigrations, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { createOutbound } from '@storey/kit/outbound'
import { testDatabase } from '@storey/kit/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../../../migrations.ts'
import { seedBuilding } from '../../../seed/seed-building.ts'
import { startProcess } from '../../../testing/stack-process.ts'
import { SEAL_KEY, seedRequest, serveConfig } from '../../../testing/test-stack.ts'
import { sandboxToken } from '../../../testing/tokens.ts'
import { createSecretVault } from '../subscriptions/secret-vault.ts'
import { answering, type Receiver, startReceiver } from '../testing/receiver.ts'
import { POINT_UPDATED, startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'

let webhooks: Webhooks
const receivers: Receiver[] = []
const dispatchers: Dispatcher[] = []
beforeAll(async () => {
  webhooks = await startWebhooks()
})
afterEach(async () => {
  await webhooks.stack.db.run(sql`delete from webhooks`)
  for (const dispatcher of dispatchers.splice(0)) await dispatcher.close()
  for (const receiver of receivers.splice(0)) await receiver.close()
})
afterAll(() => webhooks.close())

async function receiving(how?: Parameters<typeof startReceiver>[0]): Promise<Receiver> {
  const receiver = await startReceiver(how)
  receivers.push(receiver)
  return receiver
}
function dispatching(db: Database = webhooks.stack.db, clock = webhooks.clock): Dispatcher {
  const outbound = createOutbound({ allowLocal: true })
  const dispatcher = createDispatcher({ db, clock, outbound, vault: createSecretVault(SEAL_KEY), log: silentLog })
  dispatchers.push(dispatcher)
  return dispatcher
}
const queue = (count: number) => webhooks.queue(count)
const keys = (receiver: Receiver) => receiver.received.map(({ headers }) => headers['x-svc-idempotency-key'])

describe('dispatchers', () => {
  it('that share a database send every delivery exactly once', async () => {
    const atOnce = new Set<unknown>()
    let twice = 0
    const receiver = await receiving(({ headers }, response) => {
      const key = headers['x-svc-idempotency-key']
      if (atOnce.has(key)) twice++
      atOnce.add(key)
      setImmediate(() => {
        atOnce.delete(key)
        response.writeHead(200).end()
      })
    })
    await webhooks.subscribe(receiver.url)
    await queue(600)
    const others = [dispatching(), dispatching()]
    await Promise.all([webhooks.stack.webhooks(), ...others].map((each) => each.idle()))
    expect(twice).toBe(0)
    expect(receiver.received).toHaveLength(600)
    expect(new Set(keys(receiver)).size).toBe(600)
  })

  it('send what is queued while they run, and what was queued before they started', async () => {
    const receiver = await receiving()
    await webhooks.subscribe(receiver.url)
    await webhooks.post()
    await receiver.waitFor(1)
    await webhooks.stack.webhooks().idle()
    // The delivery is queued without waking a dispatcher.
    await queue(1)
    dispatching().start()
    await receiver.waitFor(2)
  })

  it('send every delivery, even if the last claimed one is sent during a claim with the limit 0', async () => {
    const { db } = webhooks.stack
    let claimed = 0
    const slow: Database = {
      ...db,
      async rows(statement) {
        const before = claimed
        const rows = await db.rows(statement)
        if (!statement.toQuery().text.includes('claimed as')) return rows as never
        claimed += rows.length
        // A claim ends only when everything that was claimed before is sent.
        await receiver.waitFor(before)
        await sleep(20)
        return rows as never
      },
    }
    const dispatcher = dispatching(slow)
    const receiver = await receiving((_, response) => {
      response.writeHead(200).end()
      // The first claim has 10 deliveries, and the second has more than can be sent at a time.
      if (receiver.received.length === 11) dispatcher.wake()
    })
    await webhooks.subscribe(receiver.url)
    // Runs the periodic check, which finds nothing. The next check is a minute later.
    await dispatcher.idle()
    await queue(800)
    dispatcher.wake()
    await receiver.waitFor(800)
  })

  it('send deliveries that become due later', async () => {
    const receiver = await receiving(answering(500))
    await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    const clock = movableClock(webhooks.clock.now())
    const other = dispatching(webhooks.stack.db, clock)
    other.start()
    await other.idle()
    expect(receiver.received).toHaveLength(1)
    clock.advance(70_000)
    await receiver.waitFor(2)
  })

  it('finish running attempts on close, and release all other claimed deliveries', async () => {
    const receiver = await receiving()
    const { id } = await webhooks.subscribe(receiver.url)
    await queue(400)
    const first = dispatching()
    first.wake()
    await receiver.waitFor(100)
    await first.close()
    const { db } = webhooks.stack
    const rows = await db.rows<{ state: string; attempts: number; leased: boolean; count: number }>(sql`
      select state, attempts, leased_until is not null as leased, count(*) as count from webhook_deliveries
      where webhook_id = ${id} group by 1, 2, 3 order by 1`)
    const sent = new Set(keys(receiver)).size
    expect(sent).toBeLessThan(400)
    expect(rows).toEqual([
      { state: 'pending', attempts: 0, leased: false, count: 400 - sent },
      // Some succeeded deliveries are deleted already, because their attempts are no longer listed.
      { state: 'succeeded', attempts: 1, leased: false, count: expect.any(Number) },
    ])
    await webhooks.stack.webhooks().idle()
    expect(receiver.received).toHaveLength(400)
    expect(new Set(keys(receiver)).size).toBe(400)
  })

  it('send to the new address of a changed webhook, and leave no deliveries of a deleted webhook', async () => {
    // All deliveries after the first 50 wait for their response until the webhook has changed.
    const changed = Promise.withResolvers<void>()
    const receiver = await receiving(async (_, response) => {
      if (receiver.received.length > 50) await changed.promise
      response.writeHead(200).end()
    })
    const other = await receiving()
    const { id } = await webhooks.subscribe(receiver.url)
    await queue(300)
    webhooks.stack.webhooks().wake()
    await receiver.waitFor(51)
    await webhooks.send('PATCH', `/${id}`, { url: other.url })
    changed.resolve()
    await webhooks.stack.webhooks().idle()
    expect(other.received.length).toBeGreaterThan(0)
    expect(receiver.received.length + other.received.length).toBe(300)

    await queue(300)
    webhooks.stack.webhooks().wake()
    await webhooks.send('DELETE', `/${id}`)
    await webhooks.stack.webhooks().idle()
    expect(await webhooks.stack.db.rows(sql`select 1 from webhook_deliveries`)).toEqual([])
  })
})

describe('a process that is killed or suspended', () => {
  it('[WHK-41] leaves deliveries without a result; they are sent again with the same key and bytes', async () => {
    const test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
    const { buildingId } = await seedBuilding(test.database, seedRequest(), () => undefined)
    const receiver = await receiving(() => undefined)
    const stack = startProcess('serve', serveConfig(test.url))
    try {
      const { port } = await stack.waitFor('listening')
      const headers = { authorization: `Bearer ${await sandboxToken()}`, 'content-type': 'application/json' }
      const post = async (path: string, body: unknown) => {
        const url = `http://127.0.0.1:${port}/api/v1${path}`
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
        expect(answer.ok).toBe(true)
      }
      await post('/webhooks', { url: receiver.url, events: [POINT_UPDATED] })
      const { id: pointId } = (await test.database.row<{ id: string }>(sql`select id from points limit 1`))!
      for (let i = 0; i < 3; i++) {
        await post(`/buildings/${buildingId}/telemetry/observations`, { observations: [{ pointId, value: `${i}` }] })
      }
      await receiver.waitFor(3)
    } finally {
      stack.child.kill('SIGKILL')
      await stack.ended
    }
    const sentOf = () =>
      receiver.received.map(({ headers, body }) => [
        headers['x-svc-idempotency-key'],
        createHash('sha256').update(body).digest('hex'),
      ])
    const before = sentOf().toSorted()
    receiver.received.length = 0
    receiver.answer(answering(200))

    const clock = movableClock(new Date())
    const next = dispatching(test.database, clock)
    await next.idle()
    expect(receiver.received, 'while the lease lasts').toEqual([])
    clock.advance(31_000)
    await next.idle()
    expect(sentOf().toSorted()).toEqual(before)
    expect(receiver.received.map(({ headers }) => headers['x-svc-delivery-attempt'])).toEqual(['2', '2', '2'])
    const rows = await test.database.rows(sql`
      select d.state, a.attempt, a.status from webhook_deliveries d join webhook_attempts a on a.delivery_id = d.id`)
    expect(rows).toEqual(Array(3).fill({ state: 'succeeded', attempt: 2, status: 'succeeded' }))
    await next.close()
    await test.drop()
  })

  it('[WHK-41] leaves a last attempt without a result; the attempt is repeated', async () => {
    const receiver = await receiving(answering(500))
    const { id } = await webhooks.subscribe(receiver.url)
    await webhooks.observe()
    for (let i = 0; i < 4; i++) await webhooks.pass(4 * 3_600_000)
    const { db } = webhooks.stack
    // The state that a process leaves behind when it is killed during the last attempt.
    const lapsed = new Date(webhooks.clock.now().getTime() - 1)
    await db.run(sql`update webhook_deliveries set attempts = 6, leased_until = ${lapsed}, next_attempt_at = ${lapsed}`)
    await webhooks.stack.webhooks().idle()
    expect((await webhooks.attempts(id))[0]).toMatchObject({ attempt: 7, status: 'dead_letter' })
    await webhooks.pass(24 * 3_600_000)
    expect(receiver.received).toHaveLength(6)
  })

  it('writes nothing if its lease was taken over while it was suspended', async () => {
    let answer: (() => void) | undefined
    const receiver = await receiving((_, response) => {
      if (answer === undefined) answer = () => response.writeHead(500).end()
      else response.writeHead(200).end()
    })
    const { id } = await webhooks.subscribe(receiver.url)
    await queue(1)
    const slow = dispatching(webhooks.stack.db, movableClock(webhooks.clock.now()))
    slow.wake()
    await receiver.waitFor(1)
    await webhooks.pass(31_000)
    expect(await webhooks.attempts(id)).toMatchObject([{ attempt: 2, status: 'succeeded' }])
    answer!()
    await slow.idle()
    expect(await webhooks.attempts(id)).toMatchObject([{ attempt: 2, status: 'succeeded' }])
    expect(await webhooks.read(id)).toMatchObject({ consecutiveFailures: 0 })
    expect(receiver.received).toHaveLength(2)
  })
})

describe('the retention', () => {
  it('keeps listed and pending deliveries and their events, and deletes the others', async () => {
    const [receiver, failing] = [await receiving(), await receiving(answering(500))]
    const { id } = await webhooks.subscribe(receiver.url)
    await queue(120)
    await webhooks.stack.webhooks().idle()
    const waiting = await webhooks.subscribe(failing.url)
    await queue(5)
    await webhooks.stack.webhooks().idle()
    const listed = (await webhooks.attempts(id)).map(({ deliveryId }) => deliveryId)
    await webhooks.stack.webhooks().deleteExpired()

    const { db } = webhooks.stack
    const kept = async (webhookId: string) =>
      (await db.rows<{ id: string }>(sql`select id from webhook_deliveries where webhook_id = ${webhookId}`)).map(
        (row) => row.id,
      )
    expect((await webhooks.attempts(id)).map(({ deliveryId }) => deliveryId)).toEqual(listed)
    expect((await kept(id)).sort()).toEqual(listed.toSorted())
    expect(await kept(waiting.id)).toHaveLength(5)
    const events = async () => (await db.row<{ n: number }>(sql`select count(*) as n from outbound_events`))!.n
    expect(await events()).toBe(50)

    failing.answer(answering(200))
    await webhooks.pass(70_000)
    expect(failing.received).toHaveLength(10)
    await db.run(sql`delete from webhooks`)
    await webhooks.stack.webhooks().deleteExpired()
    expect(await events()).toBe(0)
  })
})
