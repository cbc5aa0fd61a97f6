import { existsSync, readFileSync } from 'node:fs'
import { connect as connectSocket, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IClientOptions, MqttClient } from 'mqtt'
import { generate, type IPublishPacket } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inbox, script, testMqttBroker } from '../testing/mqtt-broker.ts'

const QOS1 = { qos: 1 } as const
/** After this many messages in a row a client is busy. */
const MANY = 16
type TestBroker = Awaited<ReturnType<typeof testMqttBroker>>
type Sandbox = Awaited<ReturnType<TestBroker['sandbox']>>

let broker: TestBroker
let own: Sandbox
beforeAll(async () => {
  broker = await testMqttBroker({ stackResponseTimeoutMs: 4_000, stackIdleMs: 60_000 })
  own = await broker.sandbox()
})
afterAll(() => broker.drop())

const counts = () => broker.plane().mqtt!.counts()
const fileOf = (name: string, sandbox = own) => join(broker.folder, sandbox.sandboxId, name)
/** The names of the messages that the stack has read from connections that were transferred to it. */
const served = (sandbox = own) =>
  existsSync(fileOf('direct', sandbox)) ? readFileSync(fileOf('direct', sandbox), 'utf8').split('\n').slice(0, -1) : []
const namesOf = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

/** Publishes messages one after another, and resolves when all are acknowledged. */
async function publishAll(client: MqttClient, names: readonly string[], sandbox = own): Promise<void> {
  for (const name of names) await client.publishAsync(sandbox.topic, script({ name }), QOS1)
}

/** A client whose connection was transferred. */
async function busyClient(prefix: string, options: IClientOptions = {}, sandbox = own): Promise<MqttClient> {
  const client = await sandbox.connect(options)
  await publishAll(client, namesOf(prefix, MANY), sandbox)
  await untilServed(client, prefix, sandbox)
  return client
}
async function untilServed(client: MqttClient, prefix: string, sandbox = own): Promise<void> {
  for (let i = 0; !served(sandbox).includes(`${prefix}-s${i - 1}`); i++) {
    expect(i).toBeLessThan(200)
    await publishAll(client, [`${prefix}-s${i}`], sandbox)
  }
}

function openSocket(
  clientId: string,
  keepalive = 0,
): { socket: Socket; received: () => Buffer; closed: Promise<void> } {
  const { username, password } = own.login
  const fields = { cmd: 'connect', clean: true, protocolId: 'MQTT', protocolVersion: 4, keepalive } as const
  const chunks: Buffer[] = []
  const socket = connectSocket(broker.mqttPort, '127.0.0.1').on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(generate({ ...fields, clientId, username, password: Buffer.from(password) }))
  return {
    socket,
    received: () => Buffer.concat(chunks),
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
  }
}
const packet = (name: string, messageId: number, fields: Partial<IPublishPacket> = {}) =>
  generate({
    cmd: 'publish',
    topic: own.topic,
    qos: 1,
    messageId,
    dup: false,
    retain: false,
    payload: script({ name }),
    ...fields,
  })
const CONNACK_BYTES = 4
/** The ids of the acknowledged messages, in order. */
const idsIn = (received: Buffer) => {
  const acks = received.subarray(CONNACK_BYTES)
  return Array.from({ length: acks.length / 4 }, (_, i) => acks.readUInt16BE(i * 4 + 2))
}

/** Publishes messages, each after the acknowledgement of the one before, until the stack serves the connection. */
async function untilStackServes(socket: Socket, received: () => Buffer, prefix: string): Promise<void> {
  for (let i = 1; i === 1 || served().at(-1) !== `${prefix}-${i - 1}`; i++) {
    expect(i).toBeLessThan(500)
    socket.write(packet(`${prefix}-${i}`, i))
    await expect.poll(() => idsIn(received()).length, { interval: 2 }).toBe(i)
  }
}

describe('the connection of a busy publisher', () => {
  it('[DIR-29] is transferred to its stack, has its messages counted, and comes back for SUBSCRIBE and for a message with QoS 0 or 2', async () => {
    const before = counts()
    const client = await busyClient('a')
    const first = served()[0]!
    expect(first.startsWith('a-s')).toBe(true)
    await publishAll(client, namesOf('b', 20))
    expect(served().slice(-20)).toEqual(namesOf('b', 20))
    await expect.poll(() => counts().ingested - before.ingested).toBeGreaterThanOrEqual(MANY + 20)
    expect(counts().clients).toBe(before.clients + 1)
    // The broker serves subscriptions and messages with QoS 2 or QoS 0, and no message is lost.
    const errors = inbox(client)
    await client.subscribeAsync(own.errors)
    await client.publishAsync(own.topic, script({ name: 'c2' }), { qos: 2 })
    await publishAll(client, namesOf('d', 20))
    expect(served()).not.toContain('d-19')
    await publishAll(client, namesOf('e', 20))
    await untilServed(client, 'e')
    client.publish(own.topic, script({ name: 'c0' }), { qos: 0 })
    await client.publishAsync(own.topic, script({ name: 'c1' }), QOS1)
    await expect.poll(() => own.received()).toEqual(expect.arrayContaining(['c2', 'c0', 'c1']))
    // A refused message is reported to the subscriber, once.
    await untilBusy(client, 'f')
    const { refused } = counts()
    await Promise.all([
      client.publishAsync(own.topic, script({ name: 'g1' }), QOS1),
      client.publishAsync(own.topic, script({ name: 'g2', answer: 404 }), QOS1),
      client.publishAsync(own.topic, script({ name: 'g3' }), QOS1),
    ])
    await expect.poll(() => errors.length).toBe(1)
    expect(errors[0]).toMatchObject({ status: 404 })
    expect(counts().refused - refused).toBe(1)
    expect((await own.received()).slice(-2)).toEqual(['g1', 'g3'])
    await client.endAsync()
  })

  /**
   * Publishes until the stack serves the client again. Each time the connection comes back to the broker, the next
   * transfer needs more messages.
   */
  async function untilBusy(client: MqttClient, prefix: string): Promise<void> {
    for (let i = 0; served().at(-1) !== `${prefix}-${i - 1}`; i++) {
      expect(i).toBeLessThan(600)
      await publishAll(client, [`${prefix}-${i}`])
    }
  }

  it('[DIR-29] comes back when the broker has to write to its client', async () => {
    const client = await own.connect()
    const errors = inbox(client)
    await client.subscribeAsync(own.errors)
    await publishAll(client, namesOf('h', MANY))
    await untilServed(client, 'h')
    const other = await own.connect()
    await other.publishAsync(own.topic, script({ name: 'h-refused', answer: 404 }), QOS1)
    await expect.poll(() => errors.length).toBe(1)
    await publishAll(client, namesOf('i', 5))
    expect(served()).not.toContain('i-4')
    for (const one of [client, other]) await one.endAsync()
  })

  it('[DIR-30] loses and repeats no byte, however the packets are split, and acknowledges in order', async () => {
    const { socket, received } = openSocket('split')
    const all = namesOf('split', 400)
    const bytes = Buffer.concat(all.map((name, i) => packet(name, i + 1)))
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed % below
    }
    for (let at = 0; at < bytes.length; ) {
      const to = Math.min(bytes.length, at + 1 + random(random(10) < 5 ? 40 : 3_000))
      await new Promise((resolve) => socket.write(bytes.subarray(at, to), resolve))
      at = to
      if (random(4) === 0) await sleep(1)
    }
    await expect.poll(() => received().length, { timeout: 30_000 }).toBe(CONNACK_BYTES + 4 * all.length)
    expect(idsIn(received())).toEqual(all.map((_, i) => i + 1))
    const names = new Set(all)
    expect((await own.received()).filter((name) => names.has(name))).toEqual(all)
    expect(served().filter((name) => names.has(name)).length).toBeGreaterThan(50)
    socket.destroy()
  })

  it('[DIR-31] stays at the broker if some of its packets are retained or are not QoS 1 messages to the topic of observations, or if its keep-alive time is short', async () => {
    const others: [string, IClientOptions, (i: number) => [string, { qos: 0 | 1 | 2; retain?: boolean }]][] = [
      ['qos0', {}, () => [own.topic, { qos: 0 }]],
      ['qos2', {}, () => [own.topic, { qos: 2 }]],
      ['retained', {}, () => [own.topic, { qos: 1, retain: true }]],
      ['mixed', {}, (i) => [own.topic, { qos: i % 10 === 9 ? 2 : 1 }]],
      ['device', {}, (i) => [i % 10 === 9 ? 'rec/a/observations' : own.topic, QOS1]],
      ['alive', { keepalive: 1 }, () => [own.topic, QOS1]],
    ]
    for (const [name, options, next] of others) {
      const client = await own.connect(options)
      for (let i = 0; i < 30; i++) {
        const [topic, quality] = next(i)
        await client.publishAsync(topic, script({ name: `${name}-${i}` }), quality)
      }
      await client.endAsync()
      expect(
        served().filter((one) => one.startsWith(name)),
        name,
      ).toEqual([])
    }
  })

  it('[DIR-32] is closed when another client connects with the same client id, here or at another control plane, and when its sandbox is removed', async () => {
    const first = await busyClient('t1', { clientId: 'meter' })
    const second = await busyClient('t2', { clientId: 'meter' })
    await expect.poll(() => first.connected).toBe(false)
    await publishAll(second, ['t3'])
    broker.plane().mqtt!.clientMoved(`${own.sandboxId}/meter`)
    await expect.poll(() => second.connected).toBe(false)
    const gone = await broker.sandbox()
    const client = await busyClient('t4', {}, gone)
    await broker.call({ key: gone.key, path: `/api/v1/sandboxes/${gone.sandboxId}`, method: 'DELETE' })
    await expect.poll(() => client.connected).toBe(false)
    expect(counts().clients).toBe(0)
  })

  it('[DIR-32] comes back before the response to a reset of its sandbox', async () => {
    const sandbox = await broker.sandbox()
    const client = await busyClient('r1', {}, sandbox)
    const path = `/api/v1/sandboxes/${sandbox.sandboxId}/reset`
    expect((await broker.call({ key: sandbox.key, path, method: 'POST' })).status).toBeLessThan(300)
    await publishAll(client, ['r2'], sandbox)
    expect(served(sandbox)).not.toContain('r2')
    await client.endAsync()
  })

  it('[DIR-33] keeps its will, which is stored if the connection breaks, but not after DISCONNECT', async () => {
    const will = (name: string) => ({ topic: own.topic, payload: Buffer.from(script({ name })), ...QOS1 })
    const broken = await busyClient('w1', { will: will('will-broken') })
    const ended = await busyClient('w2', { will: will('will-ended') })
    broken.stream.destroy()
    await ended.endAsync()
    await expect.poll(() => own.received()).toContain('will-broken')
    await sleep(300)
    expect(await own.received()).not.toContain('will-ended')
    expect(counts().clients).toBe(0)
  })

  it('[DIR-33] loses no message that was sent before DISCONNECT, even if the client closes the connection at once', async () => {
    for (const close of ['destroy', 'resetAndDestroy'] as const) {
      const { socket, received } = openSocket(`bye-${close}`)
      await untilStackServes(socket, received, `bye-${close}`)
      const last = [1001, 1002, 1003].map((i) =>
        packet(`bye-${close}-${i}`, i, { payload: script({ name: `bye-${close}-${i}`, delayMs: 50 }) }),
      )
      await new Promise((resolve) => socket.write(Buffer.concat([...last, generate({ cmd: 'disconnect' })]), resolve))
      await sleep(20)
      socket[close]()
      await expect
        .poll(() => own.received())
        .toEqual(expect.arrayContaining([1001, 1002, 1003].map((i) => `bye-${close}-${i}`)))
    }
    await expect.poll(() => counts().clients).toBe(0)
  })

  it('[DIR-34] is closed when the client is silent for longer than the keep-alive time', async () => {
    const { socket, received, closed } = openSocket('silent', 2)
    await untilStackServes(socket, received, 'silent')
    await closed
  })

  it('[DIR-35] ends when its stack is killed, and the client sends again what was not acknowledged', async () => {
    const client = await busyClient('k', { reconnectPeriod: 50, clientId: 'killed' })
    const pid = broker.runtime.pidOf!(own.sandboxId)!
    const slow = client.publishAsync(own.topic, script({ name: 'k-last', delayMs: 300 }), QOS1)
    await sleep(50)
    process.kill(pid, 'SIGKILL')
    await slow
    expect(await own.received()).toContain('k-last')
    await client.endAsync()
  })

  it('[DIR-35] ends when its stack reports nothing for too long, and the stack is then stopped', async () => {
    const client = await busyClient('m')
    const pid = broker.runtime.pidOf!(own.sandboxId)!
    process.kill(pid, 'SIGSTOP')
    await expect.poll(() => broker.runtime.pidOf!(own.sandboxId), { timeout: 60_000 }).not.toBe(pid)
    await expect.poll(() => client.connected).toBe(false)
  })
})

describe('a broker that closes', () => {
  it('[DIR-36] takes connections back and ends them after the messages in progress', async () => {
    const other = await testMqttBroker({ stackIdleMs: 60_000 })
    const sandbox = await other.sandbox()
    const client = await sandbox.connect()
    const file = join(other.folder, sandbox.sandboxId, 'direct')
    const direct = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
    for (let i = 0; i === 0 || !direct().endsWith(`z-${i - 1}\n`); i++) {
      expect(i).toBeLessThan(500)
      await client.publishAsync(sandbox.topic, script({ name: `z-${i}` }), QOS1)
    }
    const last = client.publishAsync(sandbox.topic, script({ name: 'z-last', delayMs: 300 }), QOS1)
    await sleep(50)
    const closing = other.plane().mqtt!.close()
    await last
    await closing
    await expect.poll(() => client.connected).toBe(false)
    expect(direct()).toContain('z-last')
    await other.drop()
  })
})
