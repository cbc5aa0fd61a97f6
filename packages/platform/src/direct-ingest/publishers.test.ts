import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS, type RawHistory } from '@storey/contract'
import { readMigrations, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../migrations.ts'
import { seedBuilding } from '../seed/seed-building.ts'
import { packetOf, publishOf, startDirectBroker } from '../testing/direct-publishers.ts'
import { holdTable } from '../testing/hold-table.ts'
import { type StackProcess, startProcess } from '../testing/stack-process.ts'
import { seedRequest, serveConfig } from '../testing/test-stack.ts'
import { sandboxToken } from '../testing/tokens.ts'

let test: TestDatabase
let buildingId: string
let pointId: string
let topic: string
beforeAll(async () => {
  test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  ;({ buildingId } = await seedBuilding(test.database, seedRequest(), () => undefined))
  ;({ id: pointId } = (await test.database.row<{ id: string }>(sql`select id from points order by id limit 1`))!)
  topic = `svc/org/site/${buildingId}/telemetry`
})
afterAll(() => test.drop())

const stacks: StackProcess[] = []
afterEach(async () => {
  for (const { child, ended } of stacks.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
})

async function start() {
  const stack = startProcess('serve', serveConfig(test.url))
  stacks.push(stack)
  return { stack, broker: await startDirectBroker(stack, { topic, buildingId }) }
}

const TIME = Date.parse('2020-01-01T00:00:00Z')
const timeOf = (moment: number) => new Date(TIME + moment * 1000).toISOString()
let moment = 0
const observation = (value = '1') => ({ pointId, value, timestamp: timeOf(++moment) })
const json = (...observations: object[]) => JSON.stringify({ observations })
let id = 0
const nextId = () => (id++ % 65_535) + 1
const publish = (payload = json(observation()), parts: { topic?: string; firstByte?: number; id?: number } = {}) =>
  publishOf(parts.topic ?? topic, parts.id ?? nextId(), payload, parts.firstByte)

const PINGREQ = packetOf(0xc0)
const DISCONNECT = packetOf(0xe0)

/** The stored values of the point from a moment on. */
async function valuesFrom({ port }: { port: number }, from: number): Promise<string[]> {
  const path = `http://127.0.0.1:${port}/api/v1/buildings/${buildingId}/telemetry/observations`
  const headers = { authorization: `Bearer ${await sandboxToken()}` }
  const values: string[] = []
  for (let next: string | null = timeOf(from); next !== null; ) {
    const query = new URLSearchParams({
      pointId,
      from: next,
      to: timeOf(moment + 1),
      limit: `${LIMITS.telemetryPage.max}`,
    })
    const page = (await (await fetch(`${path}?${query}`, { headers })).json()) as RawHistory
    values.push(...page.data.map(({ value }) => value))
    next = page.nextFrom
  }
  return values
}

/** Whether a statement that inserts observations waits for a lock. */
async function isInserting(): Promise<boolean> {
  const waiting = sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and query like '%insert into observation_batches%'`
  return (await test.database.row(waiting)) !== undefined
}

/** `read-plain-publish.ts` defines which packets are plain. */
describe('the transferred connection of an MQTT client', () => {
  it('[DIR-23] stores plain messages in order, and acknowledges each of them after its commit', async () => {
    const { broker } = await start()
    const from = moment + 1
    const messages = [1, 2, 3].map((i) => publish(json(observation(`${i}`)), { id: 100 + i }))
    const at = timeOf(++moment)
    const same = ['4', '5', '6'].map((value) => publish(json({ pointId, value, timestamp: at })))
    const repeated = publish(json(observation('7')), { id: 9, firstByte: 0x3a })
    const all = Buffer.concat([...messages, ...same, repeated])
    const held = await holdTable(test.database, 'observation_batches')
    // The broker has already read the first 50 bytes.
    const client = await broker.open(all.subarray(0, 50))
    client.socket.write(all.subarray(50))
    await expect.poll(isInserting).toBe(true)
    expect(client.received().length).toBe(0)
    await held.release()
    const [, , , ...others] = await client.answers(7)
    expect(client.acknowledged()).toEqual([101, 102, 103, ...others])
    expect(others.at(-1)).toBe(9)
    expect(await valuesFrom(broker, from)).toEqual(['1', '2', '3', '6', '7'])
    await expect.poll(() => broker.stored()).toBe(7)
    expect(broker.returned).toEqual([])
    client.socket.destroy()
  })

  it('[DIR-23] answers one ping after each message, and leaves further pings to the broker', async () => {
    const { broker } = await start()
    const client = await broker.open()
    client.socket.write(Buffer.concat([publish(undefined, { id: 1 }), PINGREQ, publish(undefined, { id: 2 }), PINGREQ]))
    expect(await client.answers(4)).toEqual([1, 0, 2, 0])
    client.socket.write(PINGREQ)
    await expect.poll(() => broker.returned.length).toBe(1)
    expect(broker.returned[0]!.read).toEqual(PINGREQ)
    client.socket.destroy()
  })

  it('[DIR-24] goes back to the broker with every byte of a packet that is not plain, or of a message that is refused', async () => {
    const { broker } = await start()
    const others: Record<string, Buffer> = {
      SUBSCRIBE: packetOf(0x82, Buffer.from([0, 1, 0, 1]), 'a', Buffer.from([0])),
      DISCONNECT,
      PUBREL: packetOf(0x62, Buffer.from([0, 1])),
      'QoS 0': publish(undefined, { firstByte: 0x30 }),
      'QoS 2': publish(undefined, { firstByte: 0x34 }),
      'QoS 3': publish(undefined, { firstByte: 0x36 }),
      retained: publish(undefined, { firstByte: 0x33 }),
      'another topic': publish(undefined, { topic: `${topic}s` }),
      'a topic of the same length': publish(undefined, { topic: topic.replace('org', 'oth') }),
      'a topic in upper case': publish(undefined, { topic: topic.toUpperCase() }),
      'no topic': packetOf(0x32, Buffer.from([0])),
      'no packet id': packetOf(0x32, Buffer.from([0, topic.length]), topic),
      'packet id 0': publish(undefined, { id: 0 }),
      'a long length': Buffer.from([0x32, 0x85, 0x80, 0x80, 0x00]),
      'a length that never ends': Buffer.from([0x32, 0xff, 0xff, 0xff, 0xff]),
      'a large message': publish(' '.repeat(300_000)),
      'an unknown point': publish(json({ ...observation(), pointId: buildingId })),
      'a body that is not JSON': publish('{'),
      'no body': publish(''),
      'an observation without a timestamp': publish(json(observation(), { pointId, value: '1' })),
      'a timestamp in the far future': publish(json({ ...observation(), timestamp: '2300-01-01T00:00:00Z' })),
    }
    for (const [name, bytes] of Object.entries(others)) {
      const from = moment + 1
      const client = await broker.open()
      const first = publish(json(observation('11')), { id: 1 })
      const behind = publish()
      client.socket.end(Buffer.concat([first, bytes, behind]))
      await client.over
      expect(client.acknowledged(), name).toEqual([1])
      const [returned] = broker.returned.splice(0)
      expect(returned!.read.equals(Buffer.concat([bytes, behind])), name).toBe(true)
      expect(await valuesFrom(broker, from), name).toEqual(['11'])
      client.socket.destroy()
    }
  })

  it('[DIR-25] acknowledges what it has stored, and returns every other byte unchanged, however the packets are split', async () => {
    const { broker } = await start()
    const packet = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom(
          () => publish(),
          () => publish(json(...Array.from({ length: 1000 }, () => observation()))),
          () => publish(json(...Array.from({ length: 2500 }, () => observation()))),
          () => PINGREQ,
        ),
      },
      fc.constantFrom<() => Buffer>(
        () => publish('{'),
        () => publish(json({ pointId, value: '1' })),
        () => publish(undefined, { firstByte: 0x30 }),
        () => publish(undefined, { topic: 'svc' }),
        () => publish().subarray(0, 100),
        () => DISCONNECT,
      ),
      fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => () => Buffer.from(bytes)),
    )
    const traffic = fc.record({
      packets: fc.array(packet, { minLength: 1, maxLength: 8 }),
      cuts: fc.array(fc.nat(400_000), { maxLength: 6 }),
      passed: fc.nat(3000),
    })
    let total = 0
    await fc.assert(
      fc.asyncProperty(traffic, async ({ packets, cuts, passed }) => {
        const before = moment + 1
        const sent = packets.map((create) => create())
        const bytes = Buffer.concat(sent)
        const from = Math.min(passed, bytes.length)
        const client = await broker.open(bytes.subarray(0, from))
        const places = cuts.filter((cut) => cut > from && cut < bytes.length).sort((a, b) => a - b)
        for (const [i, place] of [from, ...places].entries()) {
          client.socket.write(bytes.subarray(place, places[i] ?? bytes.length))
          await new Promise(setImmediate)
        }
        client.socket.end()
        await client.over
        const answered = client.acknowledged().length
        const rest = Buffer.concat(broker.returned.splice(0).map(({ read }) => read))
        expect(Buffer.concat([...sent.slice(0, answered), rest]).equals(bytes)).toBe(true)
        const served = sent.slice(0, answered)
        expect((await valuesFrom(broker, before)).length).toBe(
          served.reduce((sum, one) => sum + observationsIn(one), 0),
        )
        total += answered
        client.socket.destroy()
      }),
      { numRuns: 60 },
    )
    expect(total).toBeGreaterThan(40)
  })

  it('[DIR-26] goes back when it is idle, when a message stops arriving, and on request', async () => {
    const { stack, broker } = await start()
    const idle = await broker.open()
    idle.socket.write(publish())
    await idle.answers(1)
    await expect.poll(() => broker.returned.length, { timeout: 10_000 }).toBe(1)
    const [first] = broker.returned.splice(0)
    expect(first!.read.length).toBe(0)
    expect(first!.silentMs).toBeGreaterThan(1_000)
    const slow = await broker.open()
    const bytes = publish()
    slow.socket.write(bytes.subarray(0, -20))
    await expect.poll(() => broker.returned.length, { timeout: 10_000 }).toBe(1)
    expect(broker.returned.splice(0)[0]!.read).toEqual(bytes.subarray(0, -20))
    const other = await broker.open()
    const recalled = await broker.open()
    stack.child.send({ type: 'return', connection: broker.last() })
    await expect.poll(() => broker.returned.length).toBe(1)
    other.socket.write(publish(undefined, { id: 3 }))
    expect(await other.answers(1)).toEqual([3])
    for (const { socket } of [idle, slow, recalled, other]) socket.destroy()
  })

  it('[DIR-27] returns all bytes that are not stored if the client disconnects while a message is stored', async () => {
    const { broker } = await start()
    const from = moment + 1
    const held = await holdTable(test.database, 'observation_batches')
    const client = await broker.open()
    const first = publish(json(observation('21')))
    const behind = Buffer.concat([publish(), DISCONNECT])
    client.socket.write(Buffer.concat([first, behind]))
    await expect.poll(isInserting).toBe(true)
    client.socket.resetAndDestroy()
    await sleep(100)
    await held.release()
    await expect.poll(() => broker.returned.length).toBe(1)
    expect(broker.returned[0]!.read).toEqual(behind)
    expect(await valuesFrom(broker, from)).toEqual(['21'])
  })

  it('[DIR-27] goes back when the stack stops, after the message in progress', async () => {
    const { stack, broker } = await start()
    const held = await holdTable(test.database, 'observation_batches')
    const [idle, client] = [await broker.open(), await broker.open()]
    const behind = publish()
    client.socket.write(Buffer.concat([publish(undefined, { id: 7 }), behind]))
    await expect.poll(isInserting).toBe(true)
    stack.child.send({ type: 'stop' })
    await expect.poll(() => broker.returned.length).toBe(1)
    await held.release()
    expect(await client.answers(1)).toEqual([7])
    await stack.ended
    await expect.poll(() => broker.returned.map(({ read }) => read)).toEqual([Buffer.alloc(0), behind])
    for (const { socket } of [idle, client]) socket.destroy()
  })

  it('[DIR-28] is closed without an acknowledgement when the stack is killed, and a message sent again is stored once', async () => {
    const { stack, broker } = await start()
    const message = publish(json(observation('41')), { id: 1 })
    const held = await holdTable(test.database, 'observation_batches')
    const client = await broker.open()
    client.socket.write(message)
    await expect.poll(isInserting).toBe(true)
    // The stack is suspended while its statement waits. The database then commits it, and nothing is acknowledged.
    stack.child.kill('SIGSTOP')
    await held.release()
    await expect.poll(isInserting).toBe(false)
    stack.child.kill('SIGKILL')
    await client.over
    expect(client.acknowledged()).toEqual([])

    const second = await start()
    expect(await valuesFrom(second.broker, moment)).toEqual(['41'])
    const again = await second.broker.open()
    again.socket.write(message)
    expect(await again.answers(1)).toEqual([1])
    expect(await valuesFrom(second.broker, moment)).toEqual(['41'])
    again.socket.destroy()
  })
})

const observationsIn = (packet: Buffer): number => packet.toString('latin1').split('"pointId"').length - 1
