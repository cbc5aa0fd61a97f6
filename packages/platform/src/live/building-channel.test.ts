import { setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'socket.io'
import { describe, expect, it } from 'vitest'
import { createBuildingChannel } from './building-channel.ts'
import { LIVE_LIMITS } from './limits.ts'
import { createConnection } from './testing/test-connection.ts'

/** A channel that may send `available.bytes` bytes, and sockets that take everything immediately. */
function start(waiting = LIVE_LIMITS.waiting) {
  const available = { bytes: 1_000_000, measured: 1_000_000 }
  const budget = {
    available: () => available.bytes,
    spend(bytes: number) {
      available.bytes -= bytes
    },
    async measure() {
      available.bytes = available.measured
    },
    ignoreUnread() {
      available.bytes = 1_000_000
    },
  }
  const limits = { ...LIVE_LIMITS, waiting, pause: { times: 0, perReaderMs: 0, maxMs: 0 } }
  const channel = createBuildingChannel({ buildingId: 'b', limits, budget, drop: () => undefined })
  let published = 0
  return {
    available,
    publish: () => channel.publish('wifi-sensing.event', { n: ++published, text: 'x'.repeat(84) }),
    /** Joins a socket, and returns the numbers of the events in each of its messages. */
    join() {
      const received: number[][] = []
      const numbersIn = (text: string) => Array.from(text.matchAll(/"n":(\d+)/g), ([, n]) => Number(n))
      const send = (message: string, options?: { wsPreEncodedFrame: [Buffer] }) =>
        received.push(numbersIn(String(options?.wsPreEncodedFrame ?? message)))
      const transport = { name: 'websocket', writable: true }
      channel.join({ conn: { transport, send } } as unknown as Socket)
      return received
    },
  }
}

describe('a channel whose clients have not read the earlier events', () => {
  it('[LIV-23] keeps events until its budget allows more, and then sends some at a time, in order', async () => {
    const { available, publish, join } = start()
    const received = join()
    publish()
    expect(received).toEqual([[1]])
    Object.assign(available, { bytes: 0, measured: 0 })
    for (let i = 0; i < 5; i++) publish()
    await sleep(50)
    expect(received).toEqual([[1]])
    // Events are sent until the budget is used up: the third event of about 100 bytes begins within 250 bytes.
    available.measured = 250
    await expect.poll(() => received).toEqual([[1], [2, 3, 4], [5, 6]])
  })

  it('[LIV-23] sends a socket only events that were published after it joined', async () => {
    const { available, publish, join } = start()
    const first = join()
    Object.assign(available, { bytes: 0, measured: 0 })
    publish()
    publish()
    const second = join()
    publish()
    available.measured = 1_000_000
    await expect.poll(() => first).toEqual([[1, 2, 3]])
    expect(second).toEqual([[3]])
  })

  it('[LIV-23] sends the oldest events when too many bytes wait, whatever its budget', async () => {
    const { available, publish, join } = start({ bytes: 350, ms: 60_000, checkMs: 1 })
    const received = join()
    Object.assign(available, { bytes: 0, measured: 0 })
    for (let i = 0; i < 5; i++) publish()
    await expect.poll(() => received).toEqual([[1, 2]])
    await sleep(20)
    expect(received).toEqual([[1, 2]])
  })

  it('[LIV-23] sends events that have waited for too long, whatever its budget', async () => {
    const { available, publish, join } = start({ bytes: 1_000_000, ms: 30, checkMs: 1 })
    const received = join()
    Object.assign(available, { bytes: 0, measured: 0 })
    publish()
    publish()
    await expect.poll(() => received).toEqual([[1, 2]])
  })
})

describe('a socket that takes a large event slowly', () => {
  it('[LIV-14] gets the next event as soon as it has taken the large one', () => {
    const limits = { ...LIVE_LIMITS, slow: { bytes: 1_000, ms: 1_000 }, pause: { times: 0, perReaderMs: 0, maxMs: 0 } }
    const budget = {
      available: () => Number.POSITIVE_INFINITY,
      spend: () => undefined,
      measure: async () => undefined,
      ignoreUnread: () => undefined,
    }
    let now = 0
    const channel = createBuildingChannel({ buildingId: 'b', limits, budget, drop: () => undefined, now: () => now })
    const { socket, received, read } = createConnection()
    channel.join(socket)
    const publish = (value: string) =>
      channel.publish('building.point.updated', { buildingId: 'b', observations: [{ pointId: 'p', value }] })
    publish('x'.repeat(2_000))
    now = 1_001
    publish('last'.padEnd(200))
    read()
    expect(received).toHaveLength(1)
    read()
    expect(received.at(-1)?.values).toEqual({ p: 'last'.padEnd(200) })
  })
})
