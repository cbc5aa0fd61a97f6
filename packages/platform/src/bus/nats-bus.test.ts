import { type AddressInfo, createServer, type Socket } from 'node:net'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import {
  busSubject,
  CHANGE_KINDS,
  EVENT_NAMES,
  type EventName,
  INTERNAL_EVENTS,
  type PointUpdated,
  STACK_CHANGED,
} from '@storey/contract'
import { readRuns } from '@storey/kit/background'
import { pino } from 'pino'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type SmallNats, startSmallNats } from '../testing/small-nats.ts'
import type { BusEvent } from './bus.ts'
import { createNatsBus } from './nats-bus.ts'

const BUILDING = '0191b6a0-0000-7000-8000-000000000001'
const NEIGHBOUR = '0191b6a0-0000-7000-8000-000000000002'
const RETRY = { firstMs: 10, maxMs: 20 }
/** An event without a subscriber in this process: `hasSubscribers` is true for it only while NATS is connected. */
const NOT_SUBSCRIBED = 'building.changeset.applied'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const part of open.splice(0)) await part.close()
})

async function nats(port?: number, maxBytes?: number): Promise<SmallNats> {
  const server = await startSmallNats(port, maxBytes)
  open.push(server)
  return server
}

/** A bus, the events it received, and its log. */
function busOn(url: string, buildings = [BUILDING]) {
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const bus = createNatsBus({ urls: [url], name: 'test', log, retry: RETRY })
  open.unshift(bus)
  const received: BusEvent[] = []
  for (const name of EVENT_NAMES) if (name !== NOT_SUBSCRIBED) bus.subscribe(name, (event) => received.push(event))
  bus.follow(buildings)
  const logged = (text: string) => lines.filter(({ msg }) => String(msg).includes(text))
  return { bus, received, lines, logged, isUp: () => bus.hasSubscribers(NOT_SUBSCRIBED) }
}

/** Waits until all of these buses are connected and subscribed. */
async function connected(server: SmallNats, ...buses: { isUp(): boolean }[]): Promise<void> {
  await expect.poll(() => buses.every((bus) => bus.isUp()) && server.subjects().length >= buses.length).toBe(true)
}

const pointUpdated = (buildingId: string, values: string[]): PointUpdated => ({
  buildingId,
  observations: values.map((value, i) => ({
    pointId: `p${i}`,
    elementId: 'e1',
    value,
    timestamp: new Date(i).toISOString(),
    source: null,
  })),
})

describe('the bus over NATS', () => {
  it('[HST-15] reports that a cluster refuses the credentials, even if the servers of the cluster advertise each other', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      const { port } = server.address() as AddressInfo
      const connect_urls = [`127.0.0.1:${port}`, `localhost:${port}`]
      const info = { server_id: 'a', version: '2.10.0', proto: 1, max_payload: 1024, connect_urls }
      socket.write(`INFO ${JSON.stringify(info)}\r\n`)
      socket.once('data', () => socket.end("-ERR 'Authorization Violation'\r\n"))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) })
    const { logged } = busOn(`nats://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await expect.poll(() => logged('NATS not connected').length).toBe(1)
    expect(logged('NATS not connected')[0]).toMatchObject({ reason: expect.stringMatching(/authorization violation/i) })
  })

  it('[HST-15] sends a password with a percent sign that is not encoded', async () => {
    const passwords: string[] = []
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write(`INFO ${JSON.stringify({ server_id: 'a', version: '2.10.0', proto: 1, max_payload: 1024 })}\r\n`)
      socket.once('data', (sent) => {
        passwords.push(/"pass":"([^"]*)"/.exec(String(sent))?.[1] ?? '')
        socket.end("-ERR 'Authorization Violation'\r\n")
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) })
    busOn(`nats://storey:50%off@127.0.0.1:${(server.address() as AddressInfo).port}`)
    await expect.poll(() => passwords[0]).toBe('50%off')
  })

  it('[EVT-09, HST-15] sends an event on the subject of its building and name, and delivers it once in its own process', async () => {
    const server = await nats()
    const [first, second] = [busOn(server.url), busOn(server.url)]
    await connected(server, first, second)
    const fields = pointUpdated(BUILDING, ['21.5'])
    first.bus.publish(BUILDING, 'building.point.updated', () => fields)
    const event = { buildingId: BUILDING, name: 'building.point.updated', fields }
    // This process receives the event immediately, the other process a moment later.
    expect(first.received).toEqual([event])
    await expect.poll(() => second.received).toEqual([event])
    expect(busSubject(BUILDING, 'building.point.updated')).toBe(`svc.building.${BUILDING}.building.point.updated`)
    second.bus.publish(BUILDING, 'service-desk.ticket.created', () => ({ ticketId: 't1' }))
    await expect.poll(() => first.received.length).toBe(2)
    expect([first.received.length, second.received.length]).toEqual([2, 2])
  })

  it('[KUB-26] waits until it can send and receive, but no longer than the limit if the server is unreachable', async () => {
    const server = await nats()
    const [first, second] = [busOn(server.url), busOn(server.url)]
    await Promise.all([first.bus.untilConnected(10_000), second.bus.untilConnected(10_000)])
    first.bus.publish(BUILDING, 'building.point.updated', () => pointUpdated(BUILDING, ['1']))
    await expect.poll(() => second.received.map(({ name }) => name)).toEqual(['building.point.updated'])
    const away = busOn('nats://127.0.0.1:1')
    await away.bus.untilConnected(50)
    expect(away.isUp()).toBe(false)
  })

  it('subscribes only to its own buildings', async () => {
    const server = await nats()
    const [first, second] = [busOn(server.url, [BUILDING]), busOn(server.url, [NEIGHBOUR])]
    await connected(server, first, second)
    expect(server.subjects().sort()).toEqual([`svc.building.${BUILDING}.>`, `svc.building.${NEIGHBOUR}.>`])
    second.bus.publish(NEIGHBOUR, 'building.fault.created', () => ({ faultId: 'f1' }))
    second.bus.publish(BUILDING, 'service-desk.ticket.updated', () => ({ ticketId: 't1' }))
    await expect.poll(() => first.received.map(({ name }) => name)).toEqual(['service-desk.ticket.updated'])
  })

  it('delivers only events of other processes to a listener that subscribes only to them', async () => {
    const server = await nats()
    const [first, second] = [busOn(server.url), busOn(server.url)]
    const foreign: BusEvent[] = []
    first.bus.subscribe('building.point.updated', (event) => foreign.push(event), { from: 'others' })
    await connected(server, first, second)
    first.bus.publish(BUILDING, 'building.point.updated', () => pointUpdated(BUILDING, ['1']))
    second.bus.publish(BUILDING, 'building.point.updated', () => pointUpdated(BUILDING, ['2']))
    await expect.poll(() => foreign.map(({ fields }) => fields)).toEqual([pointUpdated(BUILDING, ['2'])])
  })

  it.each(INTERNAL_EVENTS.filter((name) => name.startsWith('cafm')))(
    'receives %s from a maintenance system that is not a stack',
    async (name) => {
      const server = await nats()
      const { received, ...rest } = busOn(server.url)
      await connected(server, rest)
      server.publish(busSubject(BUILDING, name), JSON.stringify({ workOrderId: 'w1' }))
      await expect.poll(() => received).toEqual([{ buildingId: BUILDING, name, fields: { workOrderId: 'w1' } }])
    },
  )

  it('ignores and counts messages that are not events of the building', async () => {
    const server = await nats()
    const { received, logged, ...rest } = busOn(server.url)
    await connected(server, rest)
    const subject = (name: string) => busSubject(BUILDING, name as EventName)
    const garbage: [subject: string, text: string, reason: string][] = [
      [subject('building.point.updated'), '{', 'no JSON object'],
      [subject('building.point.updated'), '', 'no JSON object'],
      [subject('cafm.work-order.created'), '[]', 'no JSON object'],
      [subject('cafm.work-order.created'), 'null', 'no JSON object'],
      [subject('cafm.work-order.cancelled'), '{}', 'unknown event'],
      [subject('toString'), '{}', 'unknown event'],
      [subject('building.point.updated'), JSON.stringify(pointUpdated(NEIGHBOUR, ['1'])), 'another building'],
      [subject('cafm.work-order.created'), '{"buildingId":7}', 'another building'],
      [subject('building.point.updated'), '{"observations":"all"}', 'wrong fields'],
      [subject('building.alarm.triggered'), `{"buildingId":"${BUILDING}"}`, 'wrong fields'],
      [subject('stack.data.changed'), '{"kinds":"all"}', 'wrong fields'],
    ]
    for (const [to, text] of garbage) server.publish(to, text)
    server.publish(subject('cafm.work-order.completed'), JSON.stringify({ buildingId: BUILDING }))
    await expect.poll(() => received.map(({ name }) => name)).toEqual(['cafm.work-order.completed'])
    const ignored = logged('message ignored')
    expect(ignored.map(({ reason }) => reason)).toEqual(garbage.map(([, , reason]) => reason))
    expect(ignored.at(-1)).toMatchObject({ ignored: garbage.length })
  })

  it('[LIV-18] reports changes of data to the other process, and every kind after an outage', async () => {
    const server = await startSmallNats()
    const [first, second] = [busOn(server.url), busOn(server.url)]
    const reported: unknown[] = []
    second.bus.subscribe(STACK_CHANGED, ({ fields: { kinds } }) => reported.push(kinds))
    await connected(server, first, second)
    // Every kind is reported after the first connection too, since the other process may have changed data before.
    await expect.poll(() => reported).toEqual([[...CHANGE_KINDS]])
    first.bus.publish(BUILDING, STACK_CHANGED, () => ({ kinds: ['layers'] }))
    await expect.poll(() => reported.slice(1)).toEqual([['layers']])
    await server.close()
    await expect.poll(() => second.isUp()).toBe(false)
    await nats(server.port)
    await expect.poll(() => reported.slice(2), { timeout: 10_000 }).toEqual([[...CHANGE_KINDS]])
  })

  it('delivers within the process while NATS is down, and to other processes again once NATS is up', async () => {
    const { port, close } = await startSmallNats()
    await close()
    const url = `nats://127.0.0.1:${port}`
    const [first, second] = [busOn(url), busOn(url)]
    await expect.poll(() => first.logged('NATS not connected').length).toBe(1)
    const { failed, succeeded } = readRuns()['nats-connection']!
    await expect.poll(() => readRuns()['nats-connection']!.failed - failed).toBeGreaterThan(2)
    expect(first.isUp()).toBe(false)
    first.bus.publish(BUILDING, 'service-desk.ticket.created', () => ({ ticketId: 'alone' }))
    expect(first.received).toHaveLength(1)

    const server = await startSmallNats(port)
    await connected(server, first, second)
    await server.close()
    await expect.poll(() => first.isUp() || second.isUp()).toBe(false)
    const again = await nats(port)
    await connected(again, first, second)
    first.bus.publish(BUILDING, 'service-desk.ticket.created', () => ({ ticketId: 'together' }))
    await expect.poll(() => second.received.map(({ fields }) => fields)).toEqual([{ ticketId: 'together' }])
    expect(readRuns()['nats-connection']!.succeeded - succeeded).toBeGreaterThan(1)
    // An outage is logged once, however many attempts to connect there were.
    expect(first.logged('NATS not connected')).toHaveLength(2)
    expect(first.logged('NATS connected')).toHaveLength(2)
  })

  it('receives each event once if the server refused the subscription of a client that was replaced', async () => {
    const subscribed: [socket: Socket, sid: string][] = []
    let isRefusing = true
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write(`INFO ${JSON.stringify({ server_id: 'a', version: '2.10.0', proto: 1, max_payload: 1024 })}\r\n`)
      socket.on('data', (sent) => {
        for (const line of String(sent).split('\r\n')) {
          const [verb, subject, sid] = line.split(' ')
          if (verb === 'PING') socket.write('PONG\r\n')
          if (verb === 'SUB') subscribed.push([socket, sid!])
          if (verb === 'SUB' && isRefusing)
            socket.write(`-ERR 'Permissions Violation for Subscription to "${subject}"'\r\n`)
        }
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) })
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const other = await connect({ servers: host })
    await other.close()
    const subscribing = vi.spyOn(Object.getPrototypeOf(other) as NatsConnection, 'subscribe')
    onTestFinished(() => subscribing.mockRestore())

    const { bus, received, logged, isUp } = busOn(`nats://${host}`)
    await expect.poll(() => logged('NATS refused').length).toBe(1)
    isRefusing = false
    // The client library closes its connection in this way when it gives up.
    await (subscribing.mock.contexts[0] as unknown as NatsConnection).close()
    await expect.poll(() => subscribed.length).toBe(2)
    for (const [socket] of subscribed.splice(0)) socket.destroy()
    await expect.poll(() => subscribed.length > 0 && isUp()).toBe(true)
    await bus.untilConnected(10_000)

    const payload = JSON.stringify({ ticketId: 't1' })
    const subject = busSubject(BUILDING, 'service-desk.ticket.created')
    for (const [socket, sid] of subscribed) socket.write(`MSG ${subject} ${sid} ${payload.length}\r\n${payload}\r\n`)
    const created = () => received.filter(({ name }) => name === 'service-desk.ticket.created')
    await expect.poll(() => created().length).toBeGreaterThan(0)
    await bus.untilConnected(10_000)
    expect(created()).toHaveLength(1)
  })

  it('splits events that are larger than the server accepts', async () => {
    const server = await nats(0, 2_000)
    const [first, second] = [busOn(server.url), busOn(server.url)]
    await connected(server, first, second)
    const values = Array.from({ length: 40 }, (_, i) => `${i}`)
    first.bus.publish(BUILDING, 'building.point.updated', () => pointUpdated(BUILDING, values))
    const received = () =>
      second.received.flatMap(({ fields }) => (fields as PointUpdated).observations.map(({ value }) => value))
    await expect.poll(received).toEqual(values)
    expect(second.received.length).toBeGreaterThan(1)
    expect(first.received).toHaveLength(1)
  })

  it('buffers a limited number of bytes for a server that does not read', async () => {
    const server = await nats()
    const { bus, received, logged, ...rest } = busOn(server.url)
    await connected(server, rest)
    const goOn = server.stall()
    const note = 'x'.repeat(1_000_000)
    for (let i = 0; i < 30; i++) {
      bus.publish(BUILDING, 'service-desk.ticket.updated', () => ({ note }))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(received).toHaveLength(30)
    expect(logged('does not keep up')).toHaveLength(1)
    goOn()
    await expect.poll(server.published).toBe(16)
    const publishOnce = () => {
      bus.publish(BUILDING, 'service-desk.ticket.updated', () => ({}))
      return server.published()
    }
    await expect.poll(publishOnce).toBeGreaterThan(16)
  })

  it('signs in with the credentials in the address, and does not log them', async () => {
    const server = await nats()
    const { lines, ...rest } = busOn(`nats://storey:hunter%3A2@127.0.0.1:${server.port}`)
    await connected(server, rest)
    const other = busOn(`nats://s3cret-token@127.0.0.1:${server.port}`)
    await connected(server, rest, other)
    const [storey, token] = [{ user: 'storey', pass: 'hunter:2', echo: false }, { auth_token: 's3cret-token' }]
    expect(server.greetings).toMatchObject([storey, storey, token, token])
    await server.close()
    await expect.poll(() => rest.isUp() || other.isUp()).toBe(false)
    expect(JSON.stringify([lines, other.lines])).not.toMatch(/hunter|s3cret/)
  })
})
