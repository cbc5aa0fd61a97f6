import { connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { LIMITS } from '@storey/contract'
import { connect } from 'mqtt'
import { generate } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { arrivalsOf, inbox, script, testMqttBroker } from '../testing/mqtt-broker.ts'
import { telemetryTopic } from './topics.ts'

const QOS1 = { qos: 1 } as const
type TestBroker = Awaited<ReturnType<typeof testMqttBroker>>
type Sandbox = Awaited<ReturnType<TestBroker['sandbox']>>

let broker: TestBroker
let own: Sandbox
let other: Sandbox
beforeAll(async () => {
  broker = await testMqttBroker({
    mqttRetryLimitMs: 1_500,
    deadLetterAfterMs: 600,
    stackResponseTimeoutMs: 1_200,
    stackIdleMs: 2_000,
  })
  own = await broker.sandbox()
  other = await broker.sandbox()
})
afterAll(() => broker.drop())

const messages = () => broker.plane().mqtt!.counts()

describe('a message over MQTT', () => {
  it('[MQT-06] is acknowledged after the stack has stored it, and stored in the order of its client', async () => {
    const client = await own.connect()
    const done: string[] = []
    const put = async (name: string, delayMs: number) => {
      await client.publishAsync(own.topic, script({ name, delayMs }), QOS1)
      done.push(name)
      expect(await own.received()).toContain(name)
    }
    await Promise.all([put('o1', 300), put('o2', 0), put('o3', 100), put('o4', 0)])
    expect(done).toEqual(['o1', 'o2', 'o3', 'o4'])
    expect((await own.received()).slice(-4)).toEqual(done)
  })

  it('is accepted at any quality of service', async () => {
    const client = await own.connect()
    await client.publishAsync(own.topic, script({ name: 'q2' }), { qos: 2 })
    expect(await own.received()).toContain('q2')
    for (let i = 0; i < 60; i++) client.publish(own.topic, script({ name: `q0-${i}` }), { qos: 0 })
    await client.endAsync()
    await expect.poll(() => own.received()).toContain('q0-59')
  })

  it('[MQT-22] has its own time of arrival, even if its client sends many messages in a burst', async () => {
    const client = await own.connect()
    const names = Array.from({ length: 30 }, (_, i) => `burst-${i}`)
    await Promise.all(names.map((name) => client.publishAsync(own.topic, script({ name }), QOS1)))
    const times = names.flatMap((name) => arrivalsOf(join(broker.folder, own.sandboxId), name))
    expect(new Set(times).size).toBe(names.length)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  it('[MQT-21] is stored in the order of its client, even if the messages have different qualities of service', async () => {
    const client = await own.connect()
    const names = Array.from({ length: 30 }, (_, i) => `mixed-${i}`)
    const qualities = [1, 0, 1, 2, 1, 1] as const
    const put = (name: string, i: number) =>
      client.publishAsync(own.topic, script({ name }), { qos: qualities[i % qualities.length]! })
    await Promise.all(names.map(put))
    await expect.poll(async () => (await own.received()).filter((name) => names.includes(name))).toEqual(names)
  })

  it('[MQT-07, MQT-08] that is refused is acknowledged, counted and reported once, and the next one is stored', async () => {
    const client = await own.connect()
    const refusals = inbox(client)
    await client.subscribeAsync(own.errors, QOS1)
    const before = messages().refused
    await client.publishAsync(own.topic, 'no JSON', QOS1)
    await client.publishAsync(own.topic, script({ name: 'r1', answer: 404 }), QOS1)
    await client.publishAsync(own.topic, script({ name: 'r2' }), QOS1)
    expect(await own.received()).toContain('r2')
    await expect.poll(() => refusals).toHaveLength(2)
    expect(refusals[0]).toMatchObject({
      code: 'VALIDATION_FAILED',
      detail: 'this is not JSON',
      message: { topic: own.topic, messageId: expect.any(Number), bytes: 7, sha256: expect.stringMatching(/^\w{64}$/) },
    })
    expect(refusals[1]).toMatchObject({ status: 404 })
    expect(messages().refused - before).toBe(2)
  })

  it('waits for a stack that cannot store it yet', async () => {
    const client = await own.connect()
    await client.publishAsync(own.topic, script({ name: 'w1', answer: 503, times: 3 }), QOS1)
    await client.publishAsync(own.topic, script({ name: 'w2', answer: 429, times: 1 }), QOS1)
    expect((await own.received()).slice(-2)).toEqual(['w1', 'w2'])
  })

  it('[STK-08] wakes the stack of its sandbox', async () => {
    const client = await own.connect()
    await expect.poll(() => broker.runtime.status(own.sandboxId)).toBe('stopped')
    await client.publishAsync(own.topic, script({ name: 'z1' }), QOS1)
    expect(await own.received()).toContain('z1')
  })

  it('is sent to a new process when the stack does not respond', async () => {
    const client = await own.connect()
    await client.publishAsync(own.topic, script({ name: 'h1', answer: 0, times: 1 }), QOS1)
    expect(await own.received()).toContain('h1')
  })

  it('[MQT-06] is never acknowledged when it could not be stored: the client is disconnected, and sends it again', async () => {
    const client = await own.connect({ reconnectPeriod: 50 })
    let cuts = 0
    client.on('close', () => cuts++)
    const names = ['u1', 'u2']
    const put = (name: string) => client.publishAsync(own.topic, script({ name, answer: 503, times: 6 }), QOS1)
    await Promise.all(names.map(put))
    expect(cuts).toBeGreaterThan(0)
    expect(await own.received()).toEqual(expect.arrayContaining(names))
    expect(messages().unstored).toBeGreaterThan(0)
  })

  it('[MQT-11] is refused with a short error, however long the response of the stack is', async () => {
    const client = await own.connect()
    const refusals = inbox(client)
    await client.subscribeAsync(own.errors)
    await client.publishAsync(own.topic, script({ name: 'l1', answer: 400, pointIds: 120_000 }), QOS1)
    await client.publishAsync(own.topic, script({ name: 'l4', answer: 400, pointIds: 5_000 }), QOS1)
    await client.publishAsync(own.topic, script({ name: 'l2', answer: 413, raw: 'no JSON' }), QOS1)
    await client.publishAsync(own.topic, script({ name: 'l3' }), QOS1)
    expect(await own.received()).toContain('l3')
    await expect.poll(() => refusals).toHaveLength(3)
    expect(refusals[0]).toMatchObject({ status: 400, detail: 'the stack responded 400' })
    expect(refusals[1]).toMatchObject({ status: 400, detail: 'scripted to answer 400' })
    expect(refusals[1].pointIds.length + refusals[1].leftOut.pointIds).toBe(5_000)
    expect(JSON.stringify(refusals[1]).length).toBeLessThanOrEqual(16 * 1024)
    expect(refusals[2]).toMatchObject({ status: 413, requestId: expect.any(String) })
  })

  it('does not wait for messages of another sandbox or another client', async () => {
    const [stuck, beside, free] = [await own.connect(), await own.connect(), await other.connect()]
    const slow = stuck.publishAsync(own.topic, script({ name: 's1', after: 's3' }), QOS1)
    await free.publishAsync(other.topic, script({ name: 's2' }), QOS1)
    await beside.publishAsync(own.topic, script({ name: 's3' }), QOS1)
    await slow
    const received = await own.received()
    expect(received.indexOf('s1')).toBeGreaterThan(received.indexOf('s3'))
  })

  it('[MQT-27] that its client never completes delays no other sandbox, and its memory is freed', async () => {
    const { username, password } = own.login
    const { topic } = own
    const publish = { cmd: 'publish', topic, qos: 1, messageId: 1, dup: false, retain: false } as const
    const message = generate({ ...publish, payload: Buffer.alloc(LIMITS.bodyBytes - 1_000, ' ') })
    const abandon = async (clientId: string) => {
      const socket = connectSocket(broker.mqttPort, '127.0.0.1').on('error', () => undefined)
      const greeting = { cmd: 'connect', clean: true, protocolId: 'MQTT', protocolVersion: 4 } as const
      socket.write(generate({ ...greeting, clientId, username, password: Buffer.from(password) }))
      await new Promise((resolve) => socket.once('data', resolve))
      await new Promise((resolve) => socket.write(message.subarray(0, -1_000), resolve))
      socket.destroy()
    }
    // Together the messages are larger than the memory limit of a sandbox.
    await Promise.all(['n1', 'n2', 'n3', 'n4'].map(abandon))
    const neighbour = await other.connect()
    await neighbour.publishAsync(other.topic, script({ name: 'n5' }), QOS1)
    await neighbour.publishAsync(other.topic, script({ name: 'n6' }).padEnd(LIMITS.bodyBytes / 2), QOS1)
    expect(await other.received()).toEqual(expect.arrayContaining(['n5', 'n6']))
    const client = await own.connect()
    await client.publishAsync(own.topic, script({ name: 'n7' }), QOS1)
    await expect.poll(() => messages().waitingBytes, { timeout: 30_000 }).toBe(0)
    expect(await own.received()).toContain('n7')
  })

  it('[MQT-02] of more than 10 MB is refused, and the next one is stored', async () => {
    const client = await own.connect()
    const refusals = inbox(client)
    await client.subscribeAsync(own.errors)
    await client.publishAsync(own.topic, Buffer.alloc(LIMITS.bodyBytes + 1), QOS1)
    await client.publishAsync(own.topic, Buffer.alloc(24 * 1024 * 1024), QOS1)
    await client.publishAsync(own.topic, script({ name: 'b1' }), QOS1)
    expect(await own.received()).toContain('b1')
    await expect.poll(() => refusals).toHaveLength(2)
    expect(refusals).toMatchObject([{ code: 'BODY_TOO_LARGE' }, { code: 'BODY_TOO_LARGE' }])
    const [little, much] = refusals.map(({ message }) => message)
    expect(little).toMatchObject({ bytes: LIMITS.bodyBytes + 1, sha256: null })
    expect(much).toMatchObject({ bytes: 24 * 1024 * 1024, sha256: null })
  })

  it('[MQT-05] on a device topic is ignored', async () => {
    const client = await own.connect()
    const before = messages()
    await client.publishAsync('rec/device-1/observations', script({ name: 'd1' }), QOS1)
    await client.publishAsync('rec/device-1/observations', 'no JSON', QOS1)
    expect(messages()).toEqual({ ...before, ignored: before.ignored + 2 })
    expect(await own.received()).not.toContain('d1')
  })

  it('that is the will of a client is accepted like any other', async () => {
    const will = (name: string, topic: string) => ({ topic, payload: Buffer.from(script({ name })), qos: 1 as const })
    const [good, bad] = [
      await own.connect({ will: will('will1', own.topic) }),
      await own.connect({ will: will('will2', other.topic) }),
    ]
    for (const client of [bad, good]) client.stream.destroy()
    await expect.poll(() => own.received()).toContain('will1')
    expect(await other.received()).not.toContain('will2')
  })
})

describe('the topics of a sandbox', () => {
  it('[MQT-10] are the only ones its credentials may publish to', async () => {
    const client = await own.connect()
    const refusals = inbox(client)
    await client.subscribeAsync(own.errors)
    const elsewhere = [other.topic, own.errors, 'svc', '$SYS/x', 'telemetry', `${own.topic}/more`]
    for (const topic of elsewhere) await client.publishAsync(topic, script({ name: 'x1' }), { ...QOS1, retain: true })
    await expect.poll(() => refusals).toHaveLength(elsewhere.length)
    for (const refusal of refusals) expect(refusal.code).toBe('PERMISSION_DENIED')
    const noBuilding = telemetryTopic({ ...own.named, buildingId: other.named.organizationId })
    await client.publishAsync(noBuilding, script({ name: 'x1' }), QOS1)
    await expect.poll(() => refusals.at(-1).code).toBe('NOT_FOUND')
    expect([...(await own.received()), ...(await other.received())]).not.toContain('x1')
  })

  it('[MQT-10] are the only ones its credentials may read', async () => {
    const client = await own.connect()
    const granted = async (filter: string) => (await client.subscribeAsync(filter).catch(() => [{ qos: 128 }]))[0]!.qos
    const organization = `svc/${own.named.organizationId}`
    for (const filter of [own.errors, `${organization}/#`, `${organization}/+/+/telemetry/errors`]) {
      expect(await granted(filter), filter).toBe(0)
    }
    const refused = ['#', '+/#', 'svc/#', 'svc/+/+/+/telemetry/errors', '$SYS/#', other.errors, own.topic]
    for (const filter of refused) expect(await granted(filter), filter).toBe(128)
  })

  it('[MQT-10] carry the refusals of their own sandbox only', async () => {
    const [client, otherClient] = [await own.connect(), await other.connect()]
    const [mine, theirs] = [inbox(client), inbox(otherClient)]
    await client.subscribeAsync(own.errors)
    await otherClient.subscribeAsync(other.errors)
    await client.publishAsync(own.topic, 'no JSON', QOS1)
    await expect.poll(() => mine).toHaveLength(1)
    await otherClient.publishAsync(other.topic, script({ name: 't1' }), QOS1)
    expect(theirs).toEqual([])
  })
})

describe('a client of the broker', () => {
  it('[MQT-10] is refused without the password of its own sandbox', async () => {
    const { username, password } = own.login
    const wrong = [
      {},
      { username },
      { username, password: other.login.password },
      { username, password: `${password}x` },
      { username: 'sbx_unknown', password },
      { username: 'x'.repeat(2_000), password },
    ]
    for (const login of wrong) await expect(broker.connect(login)).rejects.toMatchObject({ code: 4 })
  })

  it('ends the connection of a client with the same id in its own sandbox, but not in another', async () => {
    const first = await own.connect({ clientId: 'meter' })
    await other.connect({ clientId: 'meter' })
    await first.publishAsync(own.topic, script({ name: 'm1' }), QOS1)
    const second = await own.connect({ clientId: 'meter' })
    await second.publishAsync(own.topic, script({ name: 'm2' }), QOS1)
    await expect.poll(() => first.connected).toBe(false)
  })

  it('uses MQTT 3.1 or 3.1.1, and is refused with MQTT 5', async () => {
    await expect(own.connect({ protocolVersion: 5 })).rejects.toThrow()
    await expect(own.connect({ protocolVersion: 3, protocolId: 'MQIsdp' })).resolves.toMatchObject({ connected: true })
  })

  it('[MQT-20] is disconnected when it is silent for longer than its keep-alive time, and not while it sends messages', async () => {
    const { username, password } = own.login
    const fields = { cmd: 'connect', clean: true, protocolId: 'MQTT', protocolVersion: 4, keepalive: 1 } as const
    const open = (clientId: string) => {
      const socket = connectSocket(broker.mqttPort, '127.0.0.1').on('error', () => undefined)
      socket.resume().write(generate({ ...fields, clientId, username, password: Buffer.from(password) }))
      return socket
    }
    const [silent, sending] = [open('silent'), open('sending')]
    const message = { cmd: 'publish', topic: own.topic, qos: 1, messageId: 1, dup: false, retain: false } as const
    const timer = setInterval(() => sending.write(generate({ ...message, payload: script({ name: 'k1' }) })), 200)
    await new Promise((resolve) => silent.once('close', resolve))
    clearInterval(timer)
    expect(sending.destroyed).toBe(false)
    sending.destroy()
  })

  it('is disconnected when its sandbox is removed', async () => {
    const gone = await broker.sandbox()
    const client = await gone.connect()
    await broker.call({ key: gone.key, path: `/api/v1/sandboxes/${gone.sandboxId}`, method: 'DELETE' })
    await expect.poll(() => client.connected).toBe(false)
    await expect(gone.connect()).rejects.toMatchObject({ code: 4 })
  })

  it.each([
    ['a packet of 256 MB before anything else', [0x10, 0xff, 0xff, 0xff, 0x7f]],
    ['a message before it has signed in', [0x30, 0x05, 0x00, 0x01, 0x61, 0x62, 0x63]],
    ['a length that never ends', [0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['HTTP', [...Buffer.from('GET / HTTP/1.1\r\n\r\n')]],
  ])('is disconnected when it sends %s', async (_, bytes) => {
    const socket = connectSocket(broker.mqttPort, '127.0.0.1', () => socket.write(Buffer.from(bytes)))
    socket.on('error', () => undefined)
    await new Promise<void>((resolve) => socket.resume().once('close', resolve))
  })

  it('finds the address of the broker and its own credentials in the connection record', async () => {
    const { json } = await broker.call({ key: own.key, path: `/api/v1/sandboxes/${own.sandboxId}/connection` })
    expect(json.mqtt).toEqual({ url: 'mqtt://localhost:1883', ...own.login, topic: own.topic })
  })
})

describe('the key of the control plane', () => {
  it('is removed by the gateway from requests of clients', async () => {
    const { json } = await broker.call({ key: own.key, path: `/api/v1/sandboxes/${own.sandboxId}` })
    const headers = { 'x-storey-internal-key': 'mine', 'x-other': 'passed on' }
    const echo = await broker.call({ host: `${json.slug}.localhost`, path: '/', headers })
    expect(echo.json.headers).toMatchObject({ 'x-other': 'passed on' })
    expect(echo.json.headers).not.toHaveProperty('x-storey-internal-key')
  })
})

describe('many failed sign-ins', () => {
  it('[MQT-10] do not keep a client with the right password from signing in', async () => {
    const { username } = own.login
    const url = `mqtt://127.0.0.1:${broker.mqttPort}`
    const many = Array.from({ length: 30 }, () => connect(url, { username, password: 'x', reconnectPeriod: 0 }))
    for (const client of many) client.on('error', () => undefined)
    const closed = many.map((client) => new Promise<void>((resolve) => client.once('close', () => resolve())))
    // Some are disconnected immediately, because too many wait for a response. A client with the right password is
    // still accepted.
    await Promise.race(closed)
    expect((await own.connect()).connected).toBe(true)
    await Promise.all(many.map((client) => client.endAsync(true)))
  })
})

describe('an expired sandbox', () => {
  it('has no clients any more', async () => {
    const client = await own.connect()
    broker.clock.advance(15 * 86_400_000)
    await expect.poll(() => client.connected).toBe(false)
    await expect.poll(() => messages().clients).toBe(0)
  })
})
