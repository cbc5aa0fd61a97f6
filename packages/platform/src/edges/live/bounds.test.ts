import { promisify } from 'node:util'
import type { Socket } from 'socket.io-client'
import { afterEach, describe, expect, it } from 'vitest'
import { startTestLive, type TestLive } from './testing/test-live.ts'

let live: TestLive
afterEach(() => live.close())

const door = () => `${live.url}/socket.io/?EIO=4&transport=polling`
const ended = (socket: Socket) => new Promise<string>((resolve) => socket.once('disconnect', resolve))

/** A session by polling, by hand. */
async function session() {
  const { sid } = JSON.parse((await (await fetch(door())).text()).slice(1))
  const url = `${door()}&sid=${sid}`
  return {
    /** Everything it is told until the session has ended. */
    async toTheEnd(): Promise<string[]> {
      const packets: string[] = []
      for (;;) {
        const answer = await fetch(url)
        if (!answer.ok) return packets
        packets.push(...(await answer.text()).split('\x1e'))
        if (packets.includes('1')) return packets
      }
    },
    post: async (body: string) => (await fetch(url, { method: 'POST', body })).status,
  }
}

describe('a connection', () => {
  it('that comes with no token in time is closed', async () => {
    live = await startTestLive({ limits: { signInMs: 1_000 } })
    const greetings = [undefined, '40/buildings,{}', '40{}', '40/elsewhere,{}']
    const told = greetings.map(async (greeting) => {
      const { post, toTheEnd } = await session()
      if (greeting !== undefined) expect(await post(greeting)).toBe(200)
      return (await toTheEnd()).map((packet) => packet.slice(0, 2)).filter((type) => type.startsWith('4'))
    })
    expect(await Promise.all(told)).toEqual([[], ['44'], ['44'], ['44']])
  })

  it('has one socket, however often it asks', async () => {
    live = await startTestLive()
    const { post, toTheEnd } = await session()
    const greeting = `40/buildings,${JSON.stringify({ token: live.token })}`
    await post(`${greeting}\x1e${greeting}`)
    expect((await toTheEnd()).filter((packet) => packet.startsWith('40'))).toEqual([])
  })

  it('that sends too much at once is closed', async () => {
    live = await startTestLive()
    const socket = await live.connect()
    socket.emit('join', 'x'.repeat(20_000))
    expect(await ended(socket)).toMatch(/^transport/)
    const { post, toTheEnd } = await session()
    expect(await post(`4${'x'.repeat(20_000)}`)).toBe(413)
    await post('4nonsense')
    expect((await toTheEnd()).filter((packet) => packet.startsWith('4'))).toEqual([])
  })

  it('may give so many orders, and is closed when it goes on and on', async () => {
    live = await startTestLive({
      limits: { orders: { burst: 5, perSecond: 0.001 }, messages: { burst: 50, perSecond: 0.001 } },
    })
    const [socket, other] = [await live.connect(), await live.connect()]
    const answers = await Promise.all(Array.from({ length: 20 }, () => socket.emitWithAck('join', live.buildingId)))
    expect(answers.map(({ ok, code }) => (ok ? 'ok' : code))).toEqual([
      ...Array(5).fill('ok'),
      ...Array(15).fill('RATE_LIMITED'),
    ])
    for (let i = 0; i < 60; i++) socket.emit('anything', i)
    expect(await ended(socket)).toMatch(/^transport/)
    expect(await other.emitWithAck('join', live.buildingId)).toMatchObject({ ok: true })
  })

  it('finds no room where there are too many, until one has gone', async () => {
    live = await startTestLive({ limits: { connections: 3 } })
    const first = await live.connect()
    await live.connect({ transports: ['polling'] })
    await live.connect()
    expect((await fetch(door())).status).toBe(503)
    await expect(live.connect()).rejects.toThrow()
    expect(await first.emitWithAck('join', live.buildingId)).toMatchObject({ ok: true })
    first.disconnect()
    await expect.poll(async () => (await fetch(door())).status).toBe(200)
  })

  it('finds no room among too many that have shown no token', async () => {
    live = await startTestLive({ limits: { strangers: 2 } })
    for (let i = 0; i < 5; i++) await live.connect()
    expect([(await fetch(door())).status, (await fetch(door())).status, (await fetch(door())).status]).toEqual([
      200, 200, 503,
    ])
  })
})

describe('the end of the channel', () => {
  it('ends all sockets, also those that do not read', async () => {
    live = await startTestLive()
    const [reading, polling, deaf] = [
      await live.connect(),
      await live.connect({ transports: ['polling'] }),
      await live.connect(),
    ]
    const wire = (deaf.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } }).ws
    wire.pause()
    const over = [reading, polling].map(ended)
    await live.live.close()
    for (const end of over) expect(await end).toMatch(/^transport/)
    expect((await fetch(door())).status).toBe(503)
    live.server.closeIdleConnections()
    const open = promisify(live.server.getConnections.bind(live.server))
    await expect.poll(() => open()).toBe(0)
    const deafEnd = ended(deaf)
    wire.resume()
    expect(await deafEnd).toMatch(/^transport/)
  })

  it('comes also where nobody ever came', async () => {
    live = await startTestLive()
    await live.live.close()
    expect((await fetch(door())).status).toBe(503)
  })
})
