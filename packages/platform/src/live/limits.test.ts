import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readRuns } from '@storey/kit/background'
import type { Socket } from 'socket.io-client'
import { afterEach, describe, expect, it } from 'vitest'
import { acceptUpgrade } from './endpoint.ts'
import { startTestLive, type TestLive } from './testing/test-live.ts'

let live: TestLive
afterEach(() => live.close())

const endpoint = () => `${live.url}/socket.io/?EIO=4&transport=polling`
const ended = (socket: Socket) => new Promise<string>((resolve) => socket.once('disconnect', resolve))

/** A polling session without the client library. */
async function session() {
  const { sid } = JSON.parse((await (await fetch(endpoint())).text()).slice(1))
  const url = `${endpoint()}&sid=${sid}`
  return {
    /** All packets until the session ends. */
    async toTheEnd(): Promise<string[]> {
      const packets: string[] = []
      for (;;) {
        const answer = await fetch(url)
        if (!answer.ok) return packets
        packets.push(...(await answer.text()).split('\x1e'))
        if (packets.includes('1')) return packets
      }
    },
    poll: async () => (await fetch(url)).text(),
    post: async (body: string) => (await fetch(url, { method: 'POST', body })).status,
  }
}

describe('a connection', () => {
  it('is closed if it sends no token in time', async () => {
    live = await startTestLive({ limits: { signInMs: 1_000 } })
    const greetings = [undefined, '40/buildings,{}', '40{}', '40/elsewhere,{}']
    const packets = greetings.map(async (greeting) => {
      const { post, toTheEnd } = await session()
      if (greeting !== undefined) expect(await post(greeting)).toBe(200)
      return (await toTheEnd()).map((packet) => packet.slice(0, 2)).filter((type) => type.startsWith('4'))
    })
    expect(await Promise.all(packets)).toEqual([[], ['44'], ['44'], ['44']])
  })

  it('is closed soon if it sends no token in time, even if it does not answer the close of its WebSocket', async () => {
    live = await startTestLive({ limits: { signInMs: 500 } })
    const { hostname, port } = new URL(live.url)
    const socket = connect(Number(port), hostname)
    const closed = once(socket, 'close')
    socket.write(
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /)
    // The library alone would wait for half a minute.
    await closed
  })

  it('is closed if it requests a second socket in the same namespace', async () => {
    live = await startTestLive()
    const { post, toTheEnd } = await session()
    const greeting = `40/buildings,${JSON.stringify({ token: live.token })}`
    await post(`${greeting}\x1e${greeting}`)
    expect((await toTheEnd()).filter((packet) => packet.startsWith('40'))).toEqual([])
  })

  it('is closed if it sends a message that is too large', async () => {
    live = await startTestLive()
    const socket = await live.connect()
    socket.emit('join', 'x'.repeat(20_000))
    expect(await ended(socket)).toMatch(/^transport/)
    const { post, toTheEnd } = await session()
    expect(await post(`4${'x'.repeat(20_000)}`)).toBe(413)
    await post('4nonsense')
    expect((await toTheEnd()).filter((packet) => packet.startsWith('4'))).toEqual([])
  })

  it('gets refusals for commands beyond its rate, and is closed when it keeps sending', async () => {
    live = await startTestLive({
      limits: { commands: { burst: 5, perSecond: 0.001 }, messages: { burst: 50, perSecond: 0.001 } },
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

  it('is closed when it sends commands and never reads their acknowledgements', async () => {
    live = await startTestLive({ limits: { unread: 50 } })
    const { poll, post } = await session()
    await post(`40/buildings,${JSON.stringify({ token: live.token })}`)
    expect(await poll()).toMatch(/^40/)
    const command = `42/buildings,1["leave","${live.buildingId}"]`
    const many = (count: number) => post(Array(count).fill(command).join('\x1e'))
    expect(await many(40)).toBe(200)
    expect(await post('3')).toBe(200)
    await many(20)
    await expect.poll(() => post('3')).toBe(400)
  })

  it('is checked every second, and no check runs when there are no connections', async () => {
    live = await startTestLive()
    const checks = () => readRuns()['live-connections']?.succeeded ?? 0
    const before = checks()
    const socket = await live.connect()
    await expect.poll(() => checks() - before).toBeGreaterThan(1)
    socket.disconnect()
    const checksInTwoPeriods = async () => {
      const first = checks()
      await sleep(2_500)
      return checks() - first
    }
    await expect.poll(checksInTwoPeriods).toBe(0)
  })

  it('[LIV-26] is refused with 503 at the limit of connections, until another connection is closed', async () => {
    live = await startTestLive({ limits: { connections: 3 } })
    const first = await live.connect()
    await live.connect({ transports: ['polling'] })
    await live.connect()
    for (const sid of ['', '&sid=', '&sid=made-up&sid='])
      expect((await fetch(`${endpoint()}${sid}`)).status, sid).toBe(503)
    await expect(live.connect()).rejects.toThrow()
    await expect(live.connect({ query: { sid: '' } })).rejects.toThrow()
    expect(await first.emitWithAck('join', live.buildingId)).toMatchObject({ ok: true })
    first.disconnect()
    await expect.poll(async () => (await fetch(endpoint())).status).toBe(200)
  })

  const handshake = async (from: string) => {
    const answer = await fetch(endpoint(), { headers: { 'x-forwarded-for': from } })
    return JSON.parse((await answer.text()).slice(1)).sid as string
  }
  const isOpen = async (sid: string) => (await fetch(`${endpoint()}&sid=${sid}`, { method: 'POST', body: '3' })).ok
  const whichAreOpen = (sids: string[]) => Promise.all(sids.map(isOpen))

  it('[LIV-15] is closed if it has no token and a newer connection from its address exceeds the limit of an address', async () => {
    live = await startTestLive({ limits: { unauthenticated: { total: 10, perAddress: 2 } } })
    const caller = await live.connect()
    const sids = []
    for (const from of ['198.51.100.1', '198.51.100.2', '198.51.100.1', '198.51.100.1'])
      sids.push(await handshake(from))
    expect(await whichAreOpen(sids)).toEqual([false, true, true, true])
    expect(await caller.emitWithAck('join', live.buildingId)).toMatchObject({ ok: true })
  })

  it('[LIV-15] is closed at the total limit if it has no token and its address has the most connections', async () => {
    live = await startTestLive({ limits: { unauthenticated: { total: 3, perAddress: 3 } } })
    const sids = []
    for (const last of [2, 1, 1, 3, 4]) sids.push(await handshake(`198.51.100.${last}`))
    expect(await whichAreOpen(sids)).toEqual([false, false, true, true, true])
    // A connection with a token counts as unauthenticated for a moment only.
    for (let i = 0; i < 5; i++) await live.connect()
  })

  it('[LIV-15] is accepted with a token while many connections without a token are open', async () => {
    live = await startTestLive({ limits: { connections: 100, unauthenticated: { total: 50, perAddress: 40 } } })
    for (let i = 0; i < 100; i++) await handshake(`198.51.100.${i % 5}`)
    const callers = []
    for (let i = 0; i < 60; i++) callers.push(await live.connect(i % 2 ? { transports: ['polling'] } : {}))
    for (const caller of callers) expect(await caller.emitWithAck('join', live.buildingId)).toMatchObject({ ok: true })
  })

  it('has the header x-storey-signed-in in the responses to its polling requests once its client is authenticated', async () => {
    live = await startTestLive()
    const { sid } = JSON.parse((await (await fetch(endpoint())).text()).slice(1))
    const poll = (init: RequestInit = {}) => fetch(`${endpoint()}&sid=${sid}`, init)
    expect(
      (await poll({ method: 'POST', body: `40/buildings,${JSON.stringify({ token: live.token })}` })).headers.get(
        'x-storey-signed-in',
      ),
    ).toBeNull()
    await expect
      .poll(async () => (await poll({ method: 'POST', body: '3' })).headers.get('x-storey-signed-in'))
      .toBe('1')
  })
})

describe('a transferred connection', () => {
  it('[LIV-16] serves its upgrade and nothing else', async () => {
    live = await startTestLive()
    const heads = {
      upgrade:
        'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      plain: 'GET /api/v1/buildings HTTP/1.1\r\nHost: a\r\n\r\n',
    }
    const answers = []
    for (const head of Object.values(heads)) {
      const accepted = createServer((socket) => {
        socket.unshift(Buffer.from(head))
        acceptUpgrade(live.server, socket)
      }).listen(0, '127.0.0.1')
      await once(accepted, 'listening')
      const client = connect((accepted.address() as AddressInfo).port, '127.0.0.1')
      client.on('error', () => undefined)
      const [first] = await Promise.race([once(client, 'data'), once(client, 'close').then(() => ['closed'])])
      answers.push(String(first).split('\r\n')[0])
      client.destroy()
      accepted.close()
    }
    expect(answers).toEqual(['HTTP/1.1 101 Switching Protocols', 'closed'])
  })
})

describe('closing the channel', () => {
  it('closes all sockets, even those that do not read', async () => {
    live = await startTestLive()
    const [reading, polling, paused] = [
      await live.connect(),
      await live.connect({ transports: ['polling'] }),
      await live.connect(),
    ]
    const socket = (paused.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } }).ws
    socket.pause()
    const ends = [reading, polling].map(ended)
    await live.live.close()
    for (const end of ends) expect(await end).toMatch(/^transport/)
    expect((await fetch(endpoint())).status).toBe(503)
    live.server.closeIdleConnections()
    const open = promisify(live.server.getConnections.bind(live.server))
    await expect.poll(() => open()).toBe(0)
    const pausedEnd = ended(paused)
    socket.resume()
    expect(await pausedEnd).toMatch(/^transport/)
  })

  it('works even if nobody ever connected', async () => {
    live = await startTestLive()
    await live.live.close()
    expect((await fetch(endpoint())).status).toBe(503)
  })
})
