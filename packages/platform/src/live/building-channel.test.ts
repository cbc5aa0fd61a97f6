import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Socket } from 'socket.io'
import { describe, expect, it } from 'vitest'
import { createBuildingChannel } from './building-channel.ts'
import { LIVE_LIMITS, type LiveLimits } from './limits.ts'
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

describe('a socket that falls behind', () => {
  const budget = {
    available: () => Number.POSITIVE_INFINITY,
    spend: () => undefined,
    measure: async () => undefined,
    ignoreUnread: () => undefined,
  }

  /** A channel with a clock, in which each published value is 200 characters long. */
  function startChannel(changed: Partial<LiveLimits>) {
    const clock = { now: 0 }
    const limits = { ...LIVE_LIMITS, pause: { times: 0, perReaderMs: 0, maxMs: 0 }, ...changed }
    const dropped: Socket[] = []
    const drop = (socket: Socket) => {
      dropped.push(socket)
      channel.leave(socket)
    }
    const channel = createBuildingChannel({ buildingId: 'b', limits, budget, drop, now: () => clock.now })
    const publish = (value: string) =>
      channel.publish('building.point.updated', {
        buildingId: 'b',
        observations: [{ pointId: 'p', value: value.padEnd(200) }],
      })
    return { channel, clock, dropped, publish }
  }
  const valuesIn = ({ received }: ReturnType<typeof createConnection>) => received.map(({ values }) => values.p!.trim())

  it('[LIV-14] gets the next event as soon as it has taken a large one', () => {
    const { channel, clock, publish } = startChannel({ slow: { bytes: 100, ms: 1_000 } })
    const connection = createConnection()
    channel.join(connection.socket)
    publish('large')
    clock.now = 1_001
    publish('last')
    connection.read()
    expect(valuesIn(connection)).toEqual(['large'])
    connection.read()
    expect(valuesIn(connection)).toEqual(['large', 'last'])
  })

  it('[LIV-14] gets every event although it polls late, however large the events and however many clients poll', () => {
    const { channel, clock, publish } = startChannel({
      slow: { bytes: 100, ms: 1_000 },
      maxWaiting: { websocket: 1_000, polling: 1_000, allPolls: 300 },
    })
    const polls = Array.from({ length: 3 }, () => createConnection('polling'))
    for (const { socket } of polls) channel.join(socket)
    publish('first')
    clock.now = 1_001
    publish('second')
    for (let i = 0; i < 2; i++) for (const { read } of polls) read()
    publish('third')
    for (let i = 0; i < 2; i++) for (const { read } of polls) read()
    for (const poll of polls) expect(valuesIn(poll)).toEqual(['first', 'second', 'third'])
  })

  /** Two sockets that have become slow after different events. A message for one of them uses up the limit. */
  function startTwoSlow(changed: Partial<LiveLimits> = {}) {
    const started = startChannel({
      maxWaiting: { websocket: 300, polling: 300, allPolls: 300 },
      slowBytes: 100,
      ...changed,
    })
    const connections = [createConnection(), createConnection()] as const
    for (const [i, { socket }] of connections.entries()) {
      started.channel.join(socket)
      started.publish(`${i}`)
    }
    for (let i = 0; i < 5; i++) started.publish('later')
    return { ...started, connections }
  }

  it('[LIV-14] gets its turn although another slow socket reads all the time', async () => {
    const { publish, connections } = startTwoSlow()
    for (let i = 0; i < 20; i++) {
      publish(`${i}`)
      for (const { read } of connections) read()
      await nextTurn()
    }
    for (const connection of connections) expect(valuesIn(connection).length).toBeGreaterThan(8)
  })

  it('[LIV-14] is not closed while it waits for a socket that reads nothing, since that socket is closed earlier', async () => {
    const { channel, clock, dropped, publish, connections } = startTwoSlow({
      stallWhileOthersWaitMs: 5_000,
      stallMs: 5_500,
    })
    const [stalled, other] = connections
    // The first reading takes what was sent while the sockets were live; then the messages for slow sockets follow.
    stalled.read()
    other.read()
    publish('last')
    clock.now = 4_000
    channel.sweep()
    expect(dropped).toEqual([])
    clock.now = 6_000
    channel.sweep()
    expect(dropped).toEqual([stalled.socket])
    await nextTurn()
    channel.sweep()
    expect(dropped).toEqual([stalled.socket])
    for (let i = 0; i < 3; i++) {
      other.read()
      await nextTurn()
    }
    expect(valuesIn(other).at(-1)).toBe('last')
  })
})
