import { once } from 'node:events'
import { connect, type Socket as TcpSocket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createFrameCheck } from './frame-limit.ts'
import { startTestLive, type TestLive } from './testing/test-live.ts'

/** A masked frame of a client; the mask is zero. */
function frame(opcode: number, payload = '', isLast = true): Buffer {
  const bytes = Buffer.from(payload)
  const length = bytes.length < 126 ? [bytes.length] : [126, bytes.length >> 8, bytes.length & 0xff]
  length[0]! |= 0x80
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, ...length, 0, 0, 0, 0]), bytes])
}
const [PART, TEXT, PING, PONG] = [0x0, 0x1, 0x9, 0xa]
const times = (count: number, one: Buffer) => Buffer.concat(Array(count).fill(one))

describe('the check of frames', () => {
  const isWithin = (allowed: number, chunks: Buffer[]) => {
    let count = 0
    const check = createFrameCheck(() => ++count <= allowed)
    return chunks.every(check)
  }
  const long = Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), Buffer.alloc(65_536)])
  const bytes = Buffer.concat([frame(PING), frame(TEXT, 'x'.repeat(300)), long, frame(TEXT, '3', false), frame(PART)])

  it('[LIV-25] counts frames of every kind and length, however their bytes arrive', () => {
    for (const size of [1, 3, 7, 1_000, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      )
      expect([isWithin(5, chunks), isWithin(4, chunks)]).toEqual([true, false])
    }
  })
})

describe('a WebSocket', () => {
  let live: TestLive
  const clients: TcpSocket[] = []
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy()
    await live.close()
  })

  /** A WebSocket without a library, to send frames that no client library sends. */
  async function open(query = 'transport=websocket') {
    const { hostname, port } = new URL(live.url)
    const socket = connect(Number(port), hostname).on('error', () => undefined)
    clients.push(socket)
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
    })
    socket.write(
      `GET /socket.io/?EIO=4&${query} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\n` +
        'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    await once(socket, 'data')
    return {
      socket,
      closed: once(socket, 'close'),
      text: () => received.toString('latin1'),
      /** The pongs that the server sent, which are the bytes 8A 00. */
      pongs: () => received.toString('latin1').split('\x8a\x00').length - 1,
    }
  }
  const frames = {
    beforeSignIn: { burst: 20, perSecond: 0.001 },
    afterSignIn: { burst: 60, perSecond: 0.001 },
    turn: { tasks: 50, ms: 10 },
  }
  const limits = { frames }

  it('[LIV-25] is terminated when it sends a flood of frames without a token, and none of them is answered', async () => {
    live = await startTestLive({ limits: { ...limits, signInMs: 60_000 } })
    const floods = {
      ping: times(3_000, frame(PING)),
      pong: times(3_000, frame(PONG)),
      heartbeat: times(3_000, frame(TEXT, '3')),
      namespace: times(2_000, frame(TEXT, '40/x')),
      parts: Buffer.concat([frame(TEXT, '', false), times(3_000, frame(PART, '', false))]),
    }
    for (const [kind, flood] of Object.entries(floods)) {
      const { socket, closed, pongs, text } = await open()
      socket.write(flood)
      await closed
      expect([kind, pongs(), text().includes('44/x')]).toEqual([kind, 0, false])
    }
  })

  it('[LIV-25] is terminated when it sends a flood of probes during the upgrade of a polling connection', async () => {
    live = await startTestLive({ limits: { ...limits, signInMs: 60_000 } })
    const greeting = await (await fetch(`${live.url}/socket.io/?EIO=4&transport=polling`)).text()
    const { socket, closed, text } = await open(`transport=websocket&sid=${JSON.parse(greeting.slice(1)).sid}`)
    socket.write(times(2_000, frame(TEXT, '2probe')))
    await closed
    expect(text()).not.toContain('3probe')
  })

  it('[LIV-25] has its pings answered up to the limit, and is closed above it', async () => {
    live = await startTestLive({ limits })
    const { socket, closed, pongs } = await open()
    socket.write(times(20, frame(PING)))
    await expect.poll(pongs).toBe(20)
    socket.write(frame(PING))
    await closed
    expect(pongs()).toBe(20)
  })

  it('[LIV-25] may send more frames after the sign-in, even if it began with polling, and is then limited too', async () => {
    live = await startTestLive({ limits })
    for (const transports of [['websocket'], ['polling', 'websocket']]) {
      const client = await live.connect({ transports })
      const { engine } = client.io
      await expect.poll(() => engine.transport.name).toBe('websocket')
      const { ws } = engine.transport as unknown as {
        ws: { ping(): void; on(name: 'pong', listener: () => void): void }
      }
      let pongs = 0
      ws.on('pong', () => pongs++)
      const ended = new Promise((resolve) => client.once('disconnect', resolve))
      for (let i = 0; i < 50; i++) ws.ping()
      await expect.poll(() => pongs).toBe(50)
      expect(await client.emitWithAck('join', live.buildingId)).toMatchObject({ ok: true })
      for (let i = 0; i < 50; i++) ws.ping()
      expect(await ended).toMatch(/^transport/)
      expect(pongs).toBeLessThan(61)
    }
  })

  it('[LIV-25] is read in a later turn of the event loop when many WebSockets send together, and loses nothing', async () => {
    live = await startTestLive({ limits: { frames: { ...frames, turn: { tasks: 1, ms: 10 } } } })
    const greeting = `40/buildings,${JSON.stringify({ token: live.token })}`
    const some = await Promise.all(Array.from({ length: 10 }, () => open()))
    for (const { socket } of some) {
      socket.write(Buffer.concat([frame(PING), frame(TEXT, greeting.slice(0, 20), false)]))
      socket.write(Buffer.concat([frame(PART, greeting.slice(20)), times(5, frame(PING))]))
    }
    for (const { text, pongs } of some) {
      await expect.poll(text).toContain('40/buildings,{"sid"')
      await expect.poll(pongs).toBe(6)
    }
  })

  it('[LIV-25] can be closed by its client while its bytes wait to be read, and other WebSockets are still served', async () => {
    live = await startTestLive({ limits: { frames: { ...frames, turn: { tasks: 1, ms: 10 } } } })
    const some = await Promise.all(Array.from({ length: 10 }, () => open()))
    for (const { socket } of some) {
      socket.write(times(10, frame(PING)))
      socket.resetAndDestroy()
    }
    const { socket, pongs } = await open()
    socket.write(frame(PING))
    await expect.poll(pongs).toBe(1)
  })

  it('[LIV-25] may send heartbeats', async () => {
    live = await startTestLive()
    const { socket, pongs } = await open()
    for (let i = 0; i < 5; i++) {
      socket.write(Buffer.concat([frame(TEXT, '3'), frame(PING)]))
      await sleep(5)
    }
    await expect.poll(pongs).toBe(5)
  })
})

describe('a polling connection', () => {
  it('[LIV-25] is closed when it sends more messages than a client needs before the sign-in', async () => {
    const live = await startTestLive({ limits: { firstMessages: { burst: 10, perSecond: 0.001 }, signInMs: 60_000 } })
    const endpoint = `${live.url}/socket.io/?EIO=4&transport=polling`
    const { sid } = JSON.parse((await (await fetch(endpoint)).text()).slice(1))
    const post = async (count: number) => {
      const body = Array(count).fill('40/x').join('\x1e')
      return (await fetch(`${endpoint}&sid=${sid}`, { method: 'POST', body })).status
    }
    expect(await post(10)).toBe(200)
    await post(10).catch(() => undefined)
    await expect.poll(() => post(1)).toBe(400)
    await live.close()
  })
})
