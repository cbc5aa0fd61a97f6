import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertDeadLetter, listDeadLetters, requestResend } from '../features/dead-letters/dead-letters.store.ts'
import { arrivalsOf, inbox, script, testMqttBroker } from '../testing/mqtt-broker.ts'

const digestOf = (payload: Buffer) => createHash('sha256').update(payload).digest('hex')

const QOS1 = { qos: 1 } as const
type TestBroker = Awaited<ReturnType<typeof testMqttBroker>>
type Sandbox = Awaited<ReturnType<TestBroker['sandbox']>>

let broker: TestBroker
let own: Sandbox
beforeAll(async () => {
  broker = await testMqttBroker({
    mqttRetryLimitMs: 20_000,
    mqttPauseMs: 20,
    stackResponseTimeoutMs: 1_000,
    stackBackoff: { firstMs: 20, maxMs: 100, resetAfterMs: 60_000, databaseMs: 100 },
    deadLetterAfterMs: 500,
  })
  broker.plane().mqtt!.start()
  own = await broker.sandbox()
})
afterAll(() => broker.drop())

const letters = (sandboxId = own.sandboxId) => listDeadLetters(broker.control, sandboxId)
/** How often the message `name` was sent: the scripted stack appends a byte to the file `name` for each try. */
function triesOf({ sandboxId }: Sandbox, name: string): number {
  const file = join(broker.folder, sandboxId, name)
  return existsSync(file) ? readFileSync(file).length : 0
}
const counts = () => broker.plane().mqtt!.counts()

function letter(sandboxId: string, text: string) {
  const payload = Buffer.from(text)
  const now = new Date()
  const failed = { reason: 'test', requestId: null, firstFailedAt: now, lastFailedAt: now, attempts: 1 }
  const id = `dlt_${digestOf(payload).slice(0, 16)}`
  const topic = 'svc/a/b/c/telemetry'
  return { id, sandboxId, topic, payload, arrivedAt: now, digest: digestOf(payload), ...failed }
}

describe('a message that makes our own code fail repeatedly', () => {
  it('[MQT-08, MQT-13] is kept, then acknowledged, reported and counted, and blocks other messages only briefly', async () => {
    const client = await own.connect({ reconnectPeriod: 50 })
    const errors = inbox(client)
    await client.subscribeAsync(own.errors)
    const text = script({ name: 'f1', answer: 500 })
    await client.publishAsync(own.topic, text, QOS1)
    const [kept] = await letters()
    expect(kept).toMatchObject({ topic: own.topic, bytes: text.length, reason: 'scripted to answer 500' })
    expect(kept!.attempts).toBeGreaterThanOrEqual(5)
    expect(kept!.requestId).toBeTruthy()
    expect(kept!.lastFailedAt.getTime() - kept!.firstFailedAt.getTime()).toBeGreaterThanOrEqual(500)
    await client.publishAsync(own.topic, script({ name: 'f2' }), QOS1)
    expect(await own.received()).toContain('f2')
    await expect.poll(() => errors).toMatchObject([{ status: 500, deadLetterId: kept!.id }])
    expect(counts().deadLetter).toBe(1)
    expect((await broker.plane().counts()).deadLetters).toBe(1)
  })

  it('[MQT-13] adds no second dead letter when it is sent again', async () => {
    const client = await own.connect({ reconnectPeriod: 50 })
    await client.publishAsync(own.topic, script({ name: 'f1', answer: 500 }), QOS1)
    const [kept, ...others] = await letters()
    expect(others).toEqual([])
    expect(kept!.attempts).toBeGreaterThanOrEqual(10)
  })

  it('[MQT-13] is also kept if it crashes the stack each time', async () => {
    const crashing = await broker.sandbox()
    const client = await crashing.connect({ reconnectPeriod: 50 })
    await client.publishAsync(crashing.topic, script({ name: 'c1', answer: -1, times: 9 }), QOS1)
    expect(await letters(crashing.sandboxId)).toMatchObject([{ reason: 'the stack exited' }])
    await client.publishAsync(crashing.topic, script({ name: 'c2' }), QOS1)
    expect(await crashing.received()).toContain('c2')
  })

  it('[MQT-12, MQT-13] is not kept but retried while the stack is not ready', async () => {
    const unready = await broker.sandbox()
    const client = await unready.connect({ reconnectPeriod: 50 })
    await client.publishAsync(unready.topic, script({ name: 's1', unready: true }), QOS1)
    let isAcknowledged = false
    const acknowledged = client.publishAsync(unready.topic, script({ name: 's2', answer: 500 }), QOS1).then(() => {
      isAcknowledged = true
    })
    // On a stack that is ready, a message that failed this often and for this long would have become a dead letter.
    await expect.poll(() => triesOf(unready, 's2')).toBeGreaterThan(6)
    expect(isAcknowledged).toBe(false)
    expect(await letters(unready.sandboxId)).toEqual([])
    const other = await unready.connect({ reconnectPeriod: 50 })
    await other.publishAsync(unready.topic, script({ name: 's3', unready: false }), QOS1)
    await acknowledged
    expect(await letters(unready.sandboxId)).toHaveLength(1)
  })

  it('[MQT-13, MQT-22] is resent even while more than a hundred dead letters of another sandbox wait to be resent', async () => {
    const [unready, ready] = [await broker.sandbox(), await broker.sandbox()]
    const request = async ({ sandboxId, topic }: Sandbox, texts: string[]) => {
      const limits = { rows: 200, bytes: 100_000 }
      for (const text of texts) await insertDeadLetter(broker.control, { ...letter(sandboxId, text), topic }, limits)
      await requestResend(broker.control, { sandboxId }, new Date())
    }
    const waiting = Array.from({ length: 101 }, (_, i) => script({ name: `u${i}`, answer: 500, unready: true }))
    await request(unready, waiting)
    await request(ready, [script({ name: 'r2' })])
    await expect.poll(() => ready.received(), { timeout: 20_000 }).toEqual(['r2'])
    expect(await letters(unready.sandboxId)).toHaveLength(101)
  }, 40_000)

  it('[MQT-13, MQT-22] is stored when the operator resends it, with its first time of arrival, and is then no longer a dead letter', async () => {
    const sandbox = await broker.sandbox()
    const client = await sandbox.connect({ reconnectPeriod: 50 })
    await client.publishAsync(sandbox.topic, script({ name: 'r1', answer: 500, times: 7 }), QOS1)
    const [kept] = await letters(sandbox.sandboxId)
    const wait = () => expect.poll(() => letters(sandbox.sandboxId))
    for (let i = 0; i < 3 && (await letters(sandbox.sandboxId)).length > 0; i++) {
      expect(await requestResend(broker.control, { id: kept!.id }, new Date())).toEqual([
        { id: kept!.id, sandboxId: sandbox.sandboxId },
      ])
      await wait().not.toContainEqual(expect.objectContaining({ resendRequestedAt: expect.any(Date) }))
    }
    expect(await sandbox.received()).toEqual(['r1'])
    const times = arrivalsOf(join(broker.folder, sandbox.sandboxId), 'r1')
    expect(times).toEqual(Array(8).fill(kept!.arrivedAt.getTime()))
    expect(await letters(sandbox.sandboxId)).toEqual([])
  })

  it('[MQT-13] is deleted with its sandbox', async () => {
    const gone = await broker.sandbox()
    await insertDeadLetter(broker.control, letter(gone.sandboxId, 'x'), { rows: 1, bytes: 1 })
    expect(await letters(gone.sandboxId)).toHaveLength(1)
    await broker.call({ key: gone.key, path: `/api/v1/sandboxes/${gone.sandboxId}`, method: 'DELETE' })
    await expect.poll(() => letters(gone.sandboxId)).toEqual([])
  })
})

describe('a message whose response is lost because the stack is killed', () => {
  it.each([0, 1, 2] as const)('[MQT-22] is delivered again with the same time of arrival, at QoS %i', async (qos) => {
    const sandbox = await broker.sandbox()
    const client = await sandbox.connect()
    await client.publishAsync(sandbox.topic, script({ name: 'lost', answer: -1, times: 2 }), { qos })
    await expect.poll(() => sandbox.received()).toEqual(['lost'])
    const times = arrivalsOf(join(broker.folder, sandbox.sandboxId), 'lost')
    expect(times).toHaveLength(3)
    expect(new Set(times).size).toBe(1)
    expect(Math.abs(Date.now() - times[0]!)).toBeLessThan(600_000)
  })
})

describe('the dead letters of a sandbox', () => {
  it('[MQT-13] are limited in number and bytes, and further ones are not kept', async () => {
    const { sandboxId } = await broker.sandbox()
    const keep = (text: string) => insertDeadLetter(broker.control, letter(sandboxId, text), { rows: 3, bytes: 10 })
    expect(await keep('12345678901')).toBeUndefined()
    const first = await keep('1234')
    expect(await keep('5678')).toBeDefined()
    expect(await keep('90x')).toBeUndefined()
    expect(await keep('90')).toBeDefined()
    expect(await keep('')).toBeUndefined()
    expect(await keep('1234')).toBe(first)
    const all = await Promise.all(Array.from({ length: 8 }, (_, i) => keep(`${i}`)))
    expect(all.every((id) => id === undefined)).toBe(true)
    expect(await letters(sandboxId)).toHaveLength(3)
  })
})
