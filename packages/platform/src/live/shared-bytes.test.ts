import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Socket } from 'socket.io'
import { describe, expect, it } from 'vitest'
import { createBuildingChannel } from './building-channel.ts'
import { LIVE_LIMITS, type LiveLimits } from './limits.ts'
import { createConnection } from './testing/test-connection.ts'

const POINTS = Array.from({ length: 20 }, (_, i) => `p${i}`)

function start(changed: Partial<LiveLimits> = {}) {
  const limits = { ...LIVE_LIMITS, pause: { times: 0, perReaderMs: 0, maxMs: 0 }, ...changed }
  const available = { bytes: Number.POSITIVE_INFINITY }
  const budget = {
    available: () => available.bytes,
    spend: () => undefined,
    measure: async () => undefined,
    ignoreUnread: () => undefined,
  }
  const dropped: Socket[] = []
  const channel = createBuildingChannel({ buildingId: 'b', limits, budget, drop: (socket) => dropped.push(socket) })
  const value = (round: number) => `${round} ${'x'.repeat(500)}`
  return {
    ...{ channel, available, dropped, value },
    publish: (round: number) =>
      channel.publish('building.point.updated', {
        buildingId: 'b',
        observations: POINTS.map((pointId) => ({ pointId, value: value(round) })),
      }),
  }
}

/** How many bytes of memory the buffers take together. A buffer that is the end of another one takes none. */
function memoryOf(buffers: readonly Buffer[]): number {
  const sizes = new Map<ArrayBufferLike, Map<number, number>>()
  for (const { buffer, byteOffset, length } of buffers) {
    const byEnd = sizes.get(buffer) ?? new Map<number, number>()
    const end = byteOffset + length
    sizes.set(buffer, byEnd.set(end, Math.max(length, byEnd.get(end) ?? 0)))
  }
  return [...sizes.values()].flatMap((byEnd) => [...byEnd.values()]).reduce((sum, size) => sum + size, 0)
}

describe('the bytes of a building channel', () => {
  it('[LIV-23] are shared by sockets that joined at different times while events waited', async () => {
    const { channel, publish, available } = start({ waiting: { bytes: 1e9, ms: 60_000, checkMs: 1 } })
    available.bytes = 0
    const connections = [0, 1, 2].map(() => createConnection())
    for (const [round, { socket }] of connections.entries()) {
      channel.join(socket)
      publish(round)
    }
    available.bytes = Number.POSITIVE_INFINITY
    await expect.poll(() => connections[0]!.unread().length).toBe(1)
    const buffers = connections.flatMap(({ unread }) => unread())
    expect(memoryOf(buffers)).toBe(buffers[0]!.length)
    for (const { read } of connections) read()
    expect(connections.map(({ received }) => received.length)).toEqual([3, 2, 1])
  })

  it('[LIV-14] are shared by sockets that resume from different events', async () => {
    const { channel, publish } = start()
    const base = channel.join(createConnection().socket)
    for (let round = 0; round < 100; round++) publish(round)
    const connections = Array.from({ length: 50 }, createConnection)
    for (const [i, { socket }] of connections.entries()) channel.resume(socket, base + i)!.start()
    let most = 0
    for (let turn = 0; turn < 100; turn++) {
      most = Math.max(most, memoryOf(connections.flatMap(({ unread }) => unread())))
      for (const { read } of connections) read()
      await nextTurn()
    }
    for (const [i, { received }] of connections.entries()) {
      expect(received.map(({ sequence }) => sequence)).toEqual(
        Array.from({ length: 100 - i }, (_, k) => base + i + k + 1),
      )
    }
    // The log has 100 events of about 11,000 bytes.
    expect(most).toBeLessThan(100 * 12_000)
  })

  it('[LIV-14] take a limited amount of memory on their way to slow sockets, which all get the last values', async () => {
    const slowBytes = 100_000
    const { channel, publish, value, dropped } = start({
      slowBytes,
      maxWaiting: { ...LIVE_LIMITS.maxWaiting, websocket: 30_000 },
    })
    const connections = Array.from({ length: 60 }, createConnection)
    /** The messages from the backlog. The other messages are shared by all sockets. */
    const fromBacklog = () =>
      connections.flatMap(({ unread }) => unread()).filter((bytes) => bytes.includes('"skipped"'))
    // Each socket joins and becomes slow at a different event, so that no two miss the same events.
    for (const [round, { socket }] of connections.entries()) {
      channel.join(socket)
      publish(round)
      await nextTurn()
    }
    for (let round = 60; round < 70; round++) {
      publish(round)
      await nextTurn()
    }
    let most = 0
    for (let turn = 0; turn < 300; turn++) {
      for (const { read } of connections) read()
      await nextTurn()
      most = Math.max(most, memoryOf(fromBacklog()))
    }
    expect(dropped).toEqual([])
    for (const { received } of connections)
      expect(received.at(-1)?.values).toEqual(Object.fromEntries(POINTS.map((p) => [p, value(69)])))
    // A piece of about 11,000 bytes is sent while fewer bytes than the limit are on their way, and may exceed it.
    expect(most).toBeGreaterThan(slowBytes / 2)
    expect(most).toBeLessThan(slowBytes + 12_000)
  })
})
