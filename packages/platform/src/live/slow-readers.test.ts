import { setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'socket.io-client'
import { afterEach, describe, expect, it } from 'vitest'
import { type ReceivedEvent, receivedBy, startTestLive, type TestLive } from './testing/test-live.ts'

const LIMITS = {
  slow: { bytes: 64 * 1024, ms: 500 },
  maxWaiting: { websocket: 4_000_000, polling: 300_000, allPolls: 64_000_000 },
}

let live: TestLive
afterEach(() => live.close())

const points = Array.from({ length: 1_100 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`)
/** A few dozen events with values of this length fill the buffers of a connection. */
const long = (round: number) => `${round} ${'x'.repeat(600)}`

/** The underlying connection of a client: while it is paused nothing is read from it. */
const connectionOf = (socket: Socket) =>
  (socket.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } }).ws

/** Publishes two events in each round, and an alarm in each tenth round, as fast as a quick reader receives them. */
async function publishRounds(rounds: number, from: number, quick: Follower): Promise<void> {
  const reached = () => quick.received.at(-1)?.meta.sequence ?? quick.sequence
  for (let round = from; round < from + rounds; round++) {
    const goal = reached() + (round % 10 === 0 ? 3 : 2)
    live.observe(points, long(round))
    if (round % 10 === 0) live.bus.publish(live.buildingId, 'building.alarm.triggered', () => ({ round }))
    while (reached() < goal) await sleep(1)
  }
}

const alarms = (received: readonly ReceivedEvent[]) =>
  received.filter(({ name }) => name === 'building.alarm.triggered').map(({ fields }) => fields.round)

/** The last value of each point. */
function valuesIn(received: readonly ReceivedEvent[]): Set<string> {
  const values = new Map<string, string>()
  for (const { fields } of received) {
    for (const { pointId, value } of fields.observations ?? []) values.set(pointId, value)
  }
  expect(values.size).toBe(points.length)
  return new Set(values.values())
}

function checkNumbers(received: readonly ReceivedEvent[], start: number): void {
  let reached = start
  for (const { meta } of received) {
    expect(meta.sequence).toBe(reached + 1 + (meta.skipped ?? 0))
    reached = meta.sequence
  }
}

interface Follower {
  socket: Socket
  received: ReceivedEvent[]
  /** The sequence number of the last event before the client joined. */
  sequence: number
}

async function follow(): Promise<Follower> {
  const socket = await live.connect()
  const received = receivedBy(socket)
  const { sequence } = await socket.emitWithAck('join', live.buildingId)
  return { socket, received, sequence }
}

describe('a socket that does not read', () => {
  it('[LIV-14] does not slow other sockets, and gets the last value of each point when it reads again', async () => {
    live = await startTestLive({ limits: LIMITS })
    const [quick, slow] = [await follow(), await follow()]
    await publishRounds(1, 0, quick)
    await expect.poll(() => slow.received.length).toBe(3)
    connectionOf(slow.socket).pause()
    await publishRounds(40, 1, quick)
    checkNumbers(quick.received, quick.sequence)
    expect(quick.received.every(({ meta }) => meta.skipped === undefined)).toBe(true)
    expect(slow.received).toHaveLength(3)

    connectionOf(slow.socket).resume()
    const last = () => slow.received.at(-1)?.meta.sequence
    await expect.poll(last).toBe(quick.received.at(-1)?.meta.sequence)
    checkNumbers(slow.received, slow.sequence)
    // The slow socket receives the events that were sent to it before it became slow, and then each point at most once.
    expect(JSON.stringify(slow.received).length).toBeLessThan(JSON.stringify(quick.received).length * 0.7)
    expect(slow.received.some(({ meta }) => (meta.skipped ?? 0) > 0)).toBe(true)
    expect([...valuesIn(slow.received)]).toEqual([long(40)])
    expect(alarms(slow.received)).toEqual(alarms(quick.received))
    expect(slow.received.every(({ fields }) => (fields.observations ?? []).length <= 1000)).toBe(true)

    // The slow socket keeps up again and receives every event like any other socket.
    slow.received.length = 0
    await publishRounds(1, 41, quick)
    await expect.poll(() => slow.received).toHaveLength(2)
    expect(slow.received.map(({ meta }) => meta)).toEqual(quick.received.slice(-2).map(({ meta }) => meta))
  })

  it('[LIV-14] can fetch the skipped events while the server keeps them', async () => {
    live = await startTestLive({ limits: { ...LIMITS, log: { events: 1000, bytes: 1e9 } } })
    const quick = await follow()
    const { socket, received, sequence } = await follow()
    connectionOf(socket).pause()
    await publishRounds(40, 0, quick)
    connectionOf(socket).resume()
    await expect.poll(() => received.at(-1)?.meta.sequence).toBe(sequence + 84)
    const gap = received.find(({ meta }) => meta.skipped)!.meta
    const after = gap.sequence - gap.skipped! - 1
    received.length = 0
    expect(await socket.emitWithAck('resume', { buildingId: live.buildingId, after })).toMatchObject({ ok: true })
    await expect.poll(() => received.at(-1)?.meta.sequence).toBe(sequence + 84)
    expect(received.map(({ meta }) => meta)).toEqual(
      Array.from({ length: sequence + 84 - after }, (_, i) => ({ sequence: after + 1 + i })),
    )
  })

  it('[LIV-14] is closed when it reads nothing for too long, and can reconnect', async () => {
    live = await startTestLive({ limits: { ...LIMITS, stallMs: 300 } })
    const [quick, slow] = [await follow(), await follow()]
    const ended = new Promise((resolve) => slow.socket.once('disconnect', resolve))
    connectionOf(slow.socket).pause()
    await publishRounds(40, 0, quick)
    // Once a second, the server looks for sockets that read nothing.
    await sleep(1_500)
    connectionOf(slow.socket).resume()
    expect(await ended).toMatch(/^transport/)
    expect(slow.received.length).toBeLessThan(84)
    const again = await live.connect()
    expect(await again.emitWithAck('join', live.buildingId)).toMatchObject({ ok: true })
  })

  it('[LIV-14] is closed when an event other than observations had to be dropped', async () => {
    live = await startTestLive({ limits: { ...LIMITS, others: { events: 1, bytes: 1e6 } } })
    const quick = await follow()
    const { socket, received, sequence } = await follow()
    const ended = new Promise((resolve) => socket.once('disconnect', resolve))
    connectionOf(socket).pause()
    await publishRounds(40, 0, quick)
    connectionOf(socket).resume()
    expect(await ended).toMatch(/^transport/)
    checkNumbers(received, sequence)
  })

  it('[LIV-14] gets the last values even when it polls late', async () => {
    live = await startTestLive({ limits: LIMITS })
    const endpoint = `${live.url}/socket.io/?EIO=4&transport=polling`
    const poll = async () => (await (await fetch(endpoint + session)).text()).split('\x1e')
    const post = (body: string) => fetch(endpoint + session, { method: 'POST', body })
    let session = ''
    session = `&sid=${JSON.parse((await poll())[0]!.slice(1)).sid}`
    await post(`40/buildings,${JSON.stringify({ token: live.token })}`)
    await poll()
    await post(`42/buildings,1["join","${live.buildingId}"]`)
    const [answer] = await poll()
    const { sequence } = JSON.parse(answer!.replace('43/buildings,1', ''))[0]
    const quick = await follow()

    await publishRounds(40, 0, quick)
    const received: ReceivedEvent[] = []
    let bytes = 0
    while (received.at(-1)?.meta.sequence !== quick.received.at(-1)?.meta.sequence) {
      for (const packet of await poll()) {
        bytes += packet.length
        if (!packet.startsWith('42/buildings,')) continue
        const [name, fields, meta] = JSON.parse(packet.replace('42/buildings,', ''))
        received.push({ name, fields, meta })
      }
    }
    checkNumbers(received, sequence)
    expect([...valuesIn(received)]).toEqual([long(39)])
    expect(alarms(received)).toEqual(alarms(quick.received))
    // The socket receives the events that waited before it became slow, and then each point about once.
    const digest = JSON.stringify(quick.received.slice(-2)).length
    expect(bytes).toBeLessThan(2 * LIMITS.maxWaiting.polling + 5 * digest)
  })
})
