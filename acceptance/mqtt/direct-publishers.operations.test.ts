import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { generate, type IPublishPacket, type Packet, parser } from 'mqtt-packet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRawSocket, type RawSocket } from '../../attacks/raw-socket.ts'
import { childrenOf } from '../../bench/processes.ts'
import { call } from '../system/call.ts'
import { isOwnedBy, untilOwnedBy } from '../system/connection-owner.ts'
import { actorsAt } from '../system/shared.ts'
import { freePort, type System, startSystem } from '../system/system.ts'
import { body, newMeters, QOS1 } from './meters.ts'

/** More than the 16 messages in a row after which a client counts as busy. */
const MANY = 20
const ADDRESS = '127.0.0.8'
const TIME = Date.parse('2020-01-01T00:00:00Z')

describe('MQTT over the connection of a busy client', () => {
  let system: System
  let port: number
  let meters: Awaited<ReturnType<typeof newMeters>>
  let building: string
  let token: string
  let points: string[]
  beforeAll(async () => {
    port = await freePort()
    const limits = { RATE_LIMIT_PER_MINUTE: '100000', SANDBOX_RATE_LIMIT_PER_MINUTE: '100000' }
    system = await startSystem({ env: { ...limits, MQTT_ENABLED: 'true', MQTT_PORT: String(port) } })
    const actors = actorsAt(system)
    const key = await actors.operator('key', 'mint', '--org', 'org_demo', '--scope', 'sandbox')
    meters = await newMeters(actors, key)
    ;({ token } = meters.connection)
    building = `${meters.connection.apiUrl}/api/v1/buildings/${meters.connection.buildingId}`
    const { json } = await call(`${building}/points?limit=2`, { token })
    points = json.data.map(({ id }: { id: string }) => id)
  })
  afterAll(() => system.remove())

  const message = (messageId: number, payload: string, fields: Partial<IPublishPacket> = {}) =>
    generate({
      ...{ cmd: 'publish', topic: meters.mqtt.topic, qos: 1, messageId, dup: false, retain: false, payload },
      ...fields,
    } as IPublishPacket)
  const valueAt = (pointId: string, moment: number, value: string) => ({
    ...{ pointId, value, timestamp: new Date(TIME + moment * 1000).toISOString() },
  })

  let clients = 0
  async function open(): Promise<RawSocket> {
    const client = await openRawSocket(port, ADDRESS)
    const { username, password } = meters.mqtt
    const fields = { cmd: 'connect', clean: true, protocolId: 'MQTT', protocolVersion: 4, keepalive: 0 } as const
    client.write(generate({ ...fields, clientId: `raw-${++clients}`, username, password: Buffer.from(password) }))
    await expect.poll(() => packetsIn(client).length).toBe(1)
    return client
  }

  /** Opens a client, and publishes until its connection has been transferred to the stack. */
  async function openBusy(pointId: string, moment: number): Promise<RawSocket> {
    const client = await open()
    // On a slow machine there may be a pause, after which as many messages are needed again.
    for (let i = 1; i <= MANY || !isOwnedBy('stack', system.pid, client.socket); i++) {
      expect(i).toBeLessThan(500)
      client.write(message(i, body(valueAt(pointId, moment, `${i}`))))
      await expect.poll(() => packetsIn(client).length, { interval: 2 }).toBe(i + 1)
    }
    return client
  }

  async function valuesOf(pointId: string, from: number, to: number): Promise<string[]> {
    const range = [from, to].map((moment) => new Date(TIME + moment * 1000).toISOString())
    const query = `pointId=${pointId}&from=${range[0]}&to=${range[1]}&limit=10000`
    const { json } = await call(`${building}/telemetry/observations?${query}`, { token })
    return json.data.map(({ timestamp, value }: { timestamp: string; value: string }) => `${timestamp} ${value}`)
  }

  it('[DIR-37] gets the same acknowledgements, and stores the same values, as over any other connection', async () => {
    let moment = 1
    /** Creates a packet with values of this point at this moment. `id` is the message id. */
    type Create = (pointId: string, at: number, id: number) => Buffer
    const large =
      (count: number): Create =>
      (pointId, at, id) =>
        message(id, body(...Array.from({ length: count }, (_, i) => valueAt(pointId, at, `${i}`))))
    const plain: Create[] = [large(1), large(1), large(20), large(1500)]
    const others: Create[] = [
      (pointId, at, id) => message(id, body(valueAt(pointId, at, '1')), { dup: true }),
      (pointId, at, id) => message(id, body(valueAt(pointId, at, '2')), { retain: true }),
      (pointId, at) => message(0, body(valueAt(pointId, at, '3')), { qos: 0 }),
      (pointId, at, id) => message(id, body(valueAt(pointId, at, '4')), { qos: 2 }),
      (_, at, id) => message(id, body(valueAt(meters.connection.siteId, at, '5'))),
      (pointId, at, id) => message(id, body(valueAt(pointId, at, '5'), { ...valueAt(pointId, at, '6'), value: 7 })),
      (_, __, id) => message(id, '{'),
      (_, __, id) => message(id, body(valueAt(points[0]!, 0, '1')), { topic: 'svc/x' }),
      large(4000),
      (_, __, id) => generate({ cmd: 'subscribe', messageId: id, subscriptions: [{ topic: 'svc/x', qos: 0 }] }),
      () => generate({ cmd: 'disconnect' }),
    ]
    const packet = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...plain) },
      { weight: 2, arbitrary: fc.constantFrom(...others) },
    )
    const traffic = fc.record({
      packets: fc.array(packet, { minLength: 1, maxLength: 8 }),
      cuts: fc.array(fc.nat(300_000), { maxLength: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(traffic, async ({ packets, cuts }) => {
        const from = moment
        moment += packets.length
        const results = []
        for (const [i, pointId] of points.entries()) {
          const client = i === 0 ? await openBusy(pointId, 0) : await open()
          const before = packetsIn(client).length
          const bytes = Buffer.concat(packets.map((create, place) => create(pointId, from + place, place + 1)))
          const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
          for (const [piece, start] of places.slice(0, -1).entries()) {
            client.write(bytes.subarray(start, places[piece + 1]))
            await sleep(2)
          }
          // The broker acknowledges this message after all others, unless it has closed the connection.
          client.write(message(999, body(valueAt(pointId, 0, '0'))))
          const isOver = () => client.socket.destroyed || packetsIn(client).some((one) => one.messageId === 999)
          await expect.poll(isOver, { timeout: 30_000, interval: 2 }).toBe(true)
          const answers = packetsIn(client).slice(before)
          results.push({
            acknowledged: answers.flatMap(({ cmd, messageId }) =>
              cmd === 'puback' || cmd === 'pubrec' ? `${cmd} ${messageId}` : [],
            ),
            subscribed: answers.filter(({ cmd }) => cmd === 'suback').length,
            isClosed: !answers.some(({ messageId }) => messageId === 999),
            values: await valuesOf(pointId, from, moment),
          })
          client.end()
        }
        expect(results[0]).toEqual(results[1])
      }),
      { numRuns: 30 },
    )
  })

  it('[DIR-37] stores an observation without a timestamp once, with the time of its arrival', async () => {
    const client = await openBusy(points[0]!, 0)
    const before = Date.now()
    client.write(message(100, JSON.stringify({ observations: [{ pointId: points[1], value: '77' }] })))
    await expect.poll(() => packetsIn(client).at(-1)?.messageId).toBe(100)
    const from = Math.floor((before - TIME) / 1000)
    const found = await valuesOf(points[1]!, from, from + 3_600)
    expect(found.filter((text) => text.endsWith(' 77')).length).toBe(1)
    await untilOwnedBy('control plane', system.pid, client.socket)
    client.end()
  })

  it('[DIR-37] ends when the stack is killed, and its client continues on another connection without loss', async () => {
    const client = await meters.connect()
    const sent: string[] = []
    let isOver = false
    const from = 1_000_000
    const senders = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        const n = sent.length
        sent.push(`${n}`)
        await client.publishAsync(meters.mqtt.topic, body(valueAt(points[0]!, from + n, `${n}`)), QOS1)
      }
    })
    for (let kills = 0; kills < 3; kills++) {
      const count = sent.length
      await expect.poll(() => sent.length, { timeout: 60_000 }).toBeGreaterThan(count + 100)
      for (const pid of childrenOf(system.pid, 'serve')) process.kill(pid, 'SIGKILL')
    }
    const count = sent.length
    await expect.poll(() => sent.length, { timeout: 60_000 }).toBeGreaterThan(count + 100)
    isOver = true
    await Promise.all(senders)
    const found = await valuesOf(points[0]!, from, from + sent.length)
    expect(found.map((text) => text.split(' ')[1])).toEqual(sent)
    await client.endAsync()
  })

  it('[DIR-32] is closed when its sandbox is suspended', async () => {
    const client = await openBusy(points[0]!, 0)
    await actorsAt(system).operator('sandbox', 'suspend', meters.record.slug)
    await client.closed
    await actorsAt(system).operator('sandbox', 'resume', meters.record.slug)
    const next = await openBusy(points[0]!, 0)
    next.end()
  })
})

function packetsIn(client: RawSocket): Packet[] {
  const packets: Packet[] = []
  const read = parser({ protocolVersion: 4 })
  read.on('packet', (packet: Packet) => packets.push(packet))
  read.parse(client.received())
  // Packets that the broker publishes are left out: it may publish refusals of other clients' messages at any time.
  return packets.filter(({ cmd }) => cmd !== 'publish')
}
