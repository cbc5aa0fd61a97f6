import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { LIVE_LIMITS } from './limits.ts'
import { type ReceivedEvent, receivedBy, startTestLive, type TestLive } from './testing/test-live.ts'

let live: TestLive
afterEach(() => live.close())

/** Publishes numbered events. */
function numberedEvents() {
  let count = 0
  return {
    publish(times = 1): void {
      for (let i = 0; i < times; i++) {
        const n = count++
        live.bus.publish(live.buildingId, 'wifi-sensing.event', () => ({ n }))
      }
    },
    count: () => count,
  }
}

const numbers = (received: readonly ReceivedEvent[]) => received.map(({ fields }) => fields.n)
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)
const random = (n: number) => Math.floor(Math.random() * n)

describe('resume', () => {
  it('sends the events after a number, then continues live', async () => {
    live = await startTestLive()
    const { buildingId } = live
    const { publish } = numberedEvents()
    const first = await live.connect()
    const { sequence } = await first.emitWithAck('join', buildingId)
    publish(5)
    first.disconnect()
    publish(5)
    const second = await live.connect()
    const received = receivedBy(second)
    const resumed = await second.emitWithAck('resume', { buildingId, after: sequence + 3 })
    expect(resumed).toEqual({ ok: true, buildingId, sequence: sequence + 10, replayed: 7 })
    publish(2)
    await expect.poll(() => received).toHaveLength(9)
    expect(numbers(received)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(received.map(({ meta }) => meta.sequence)).toEqual(upTo(9).map((i) => sequence + 4 + i))
  })

  it('joins the building and sends nothing if there are no events after the number', async () => {
    live = await startTestLive()
    const { buildingId } = live
    const { publish } = numberedEvents()
    const socket = await live.connect()
    const { sequence } = await socket.emitWithAck('join', buildingId)
    await socket.emitWithAck('leave', buildingId)
    const received = receivedBy(socket)
    expect(await socket.emitWithAck('resume', { buildingId, after: sequence })).toMatchObject({ replayed: 0 })
    publish()
    await expect.poll(() => numbers(received)).toEqual([0])
  })

  it('sends the events after a number again to a socket that has already joined', async () => {
    live = await startTestLive()
    const { buildingId } = live
    const { publish } = numberedEvents()
    const socket = await live.connect()
    const { sequence } = await socket.emitWithAck('join', buildingId)
    const received = receivedBy(socket)
    publish(3)
    await expect.poll(() => received).toHaveLength(3)
    expect(await socket.emitWithAck('resume', { buildingId, after: sequence + 1 })).toMatchObject({ replayed: 2 })
    publish()
    await expect.poll(() => numbers(received)).toEqual([0, 1, 2, 1, 2, 3])
  })

  it('is refused with SNAPSHOT_REQUIRED, and joins nothing, when the missed events are no longer kept', async () => {
    live = await startTestLive({ limits: { log: { events: 3, bytes: 1e6 } } })
    const { buildingId } = live
    const { publish } = numberedEvents()
    const socket = await live.connect()
    const received = receivedBy(socket)
    const refused = { ok: false, code: 'SNAPSHOT_REQUIRED' }
    expect(await socket.emitWithAck('resume', { buildingId, after: 1 })).toEqual(refused)
    const witness = await live.connect()
    const { sequence } = await witness.emitWithAck('join', buildingId)
    const witnessed = receivedBy(witness)
    publish(4)
    for (const after of [0, sequence - 1, sequence, sequence + 5, Number.MAX_SAFE_INTEGER]) {
      expect(await socket.emitWithAck('resume', { buildingId, after })).toEqual(refused)
    }
    publish()
    await expect.poll(() => witnessed).toHaveLength(5)
    await socket.emitWithAck('leave', buildingId)
    expect(received).toEqual([])
  })

  it('works for a while after the last socket has left, and is then refused with SNAPSHOT_REQUIRED', async () => {
    live = await startTestLive({ limits: { lingerMs: 1_500 } })
    const { buildingId } = live
    const { publish } = numberedEvents()
    const socket = await live.connect()
    const { sequence } = await socket.emitWithAck('join', buildingId)
    await socket.emitWithAck('leave', buildingId)
    publish()
    expect(await socket.emitWithAck('resume', { buildingId, after: sequence })).toMatchObject({ ok: true, replayed: 1 })
    await socket.emitWithAck('leave', buildingId)
    await expect.poll(() => live.bus.hasSubscribers('wifi-sensing.event')).toBe(false)
    const after = sequence + 1
    expect(await socket.emitWithAck('resume', { buildingId, after })).toEqual({ ok: false, code: 'SNAPSHOT_REQUIRED' })
  })

  it.each([
    ['websocket', ['websocket'], 12],
    ['polling', ['polling'], 8],
    ['both', ['polling', 'websocket'], 8],
  ])('delivers everything exactly once, wherever the connection is cut: %s', async (_name, transports, cuts) => {
    // Pieces are small, so that cuts and new events fall into the middle of a replay.
    live = await startTestLive({ limits: { pieceBytes: 200, log: { events: 5_000, bytes: LIVE_LIMITS.log.bytes } } })
    const { buildingId } = live
    const { publish, count } = numberedEvents()
    const got: number[] = []
    let after = (await (await live.connect()).emitWithAck('join', buildingId)).sequence
    const publishing = setInterval(() => publish(random(20)), 2)
    try {
      for (let cut = 0; cut <= cuts; cut++) {
        const socket = await live.connect({ transports })
        socket.onAny((_event, fields, meta) => {
          expect(meta).toEqual({ sequence: after + 1 })
          after = meta.sequence
          got.push(fields.n)
        })
        // The answer is not awaited, so that some cuts come before it.
        socket.emit('resume', { buildingId, after })
        await sleep(random(40))
        if (cut === cuts) clearInterval(publishing)
        if (cut === cuts) await expect.poll(() => got.length).toBe(count())
        if (random(2) === 0) socket.disconnect()
        else socket.io.engine.close()
        socket.offAny()
      }
    } finally {
      clearInterval(publishing)
    }
    expect(got).toEqual(upTo(count()))
  })
})

it('a socket that joins between events receives everything after the acknowledged number', async () => {
  live = await startTestLive()
  const { publish, count } = numberedEvents()
  const { sequence: start } = await (await live.connect()).emitWithAck('join', live.buildingId)
  const publishing = setInterval(() => publish(random(30)), 1)
  const followers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = await live.connect()
      const received = receivedBy(socket)
      await sleep(random(100))
      const { sequence } = await socket.emitWithAck('join', live.buildingId)
      return { received, sequence }
    }),
  )
  clearInterval(publishing)
  for (const { received, sequence } of followers) {
    const missed = sequence - start
    await expect.poll(() => received.length).toBe(count() - missed)
    expect(numbers(received)).toEqual(upTo(count()).slice(missed))
    expect(received.map(({ meta }) => meta.sequence)).toEqual(received.map((_, i) => sequence + 1 + i))
  }
})
