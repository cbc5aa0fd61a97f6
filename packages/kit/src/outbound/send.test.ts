import { once } from 'node:events'
import type { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createOutbound, type Outbound, type OutboundOptions, type OutboundRequest } from './index.ts'
import { httpServer, type Received, type Receiver, rawServer, startReceiver } from './testing/receiver.ts'

const started: { stop(): Promise<void> }[] = []
const opened: Outbound[] = []
afterEach(async () => {
  for (const outbound of opened.splice(0)) outbound.close()
  await Promise.all(started.splice(0).map((receiver) => receiver.stop()))
})

async function receive(server: Server, at?: { host: string }): Promise<Receiver> {
  const receiver = await startReceiver(server, at)
  started.push(receiver)
  return receiver
}
function open(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = createOutbound({ allowLocal: true, ...options })
  opened.push(outbound)
  return outbound
}
const post = (more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"a":1}'),
  timeoutMs: 10_000,
  maxBytes: 1_000,
  ...more,
})
const failure = (sent: Promise<unknown>) =>
  sent.then(
    () => 'an answer',
    (err) => err.message,
  )

describe('a request', () => {
  it('arrives unchanged, with the host of the URL', async () => {
    const got: Received[] = []
    const { port } = await receive(
      httpServer((request, response) => {
        got.push(request)
        response.writeHead(202).end('thanks')
      }),
    )
    const outbound = open({ resolve: async () => ['127.0.0.1'] })
    const headers = {
      'content-type': 'application/json',
      'x-svc-signature': 'abc',
      Host: 'other',
      'Content-Length': '1',
    }
    const answer = await outbound.send(`http://Receiver.Test.:${port}/a/ü?b=c d#e`, post({ headers }))
    expect({ status: answer.status, body: answer.body.toString() }).toEqual({ status: 202, body: 'thanks' })
    expect(got).toMatchObject([{ method: 'POST', url: '/a/%C3%BC?b=c%20d', body: '{"a":1}' }])
    expect(got[0]!.headers).toMatchObject({
      host: `receiver.test:${port}`,
      'content-length': '7',
      'content-type': 'application/json',
      'x-svc-signature': 'abc',
    })
  })

  it('reuses a connection', async () => {
    const { port, connections } = await receive(httpServer())
    const outbound = open()
    for (let i = 0; i < 20; i++) await outbound.send(`http://127.0.0.1:${port}/`, post())
    expect(connections).toHaveLength(1)
  })

  it('[WHK-48] gets a response that arrived in time, even if this process was suspended for longer than the time limit', async () => {
    const receiver = new Worker(
      `const { createServer } = require('node:http')
       const server = createServer((request, response) => setTimeout(() => response.end('in time'), 50))
       server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))`,
      { eval: true },
    )
    started.push({ stop: async () => void (await receiver.terminate()) })
    const [port] = await once(receiver, 'message')
    const outbound = open()
    // The first request opens the connection.
    await outbound.send(`http://127.0.0.1:${port}/`, post())
    const sent = outbound.send(`http://127.0.0.1:${port}/`, post({ timeoutMs: 1_000 }))
    await sleep(10)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
    expect((await sent).body.toString()).toBe('in time')
  })

  it('returns a redirect, and does not follow it', async () => {
    const urls: string[] = []
    const { port } = await receive(
      httpServer(({ url }, response) => {
        urls.push(url)
        response.writeHead(Number(url.slice(1)), { location: '/elsewhere' }).end('gone there')
      }),
    )
    for (const status of [301, 302, 303, 307, 308]) {
      const answer = await open().send(`http://127.0.0.1:${port}/${status}`, post())
      expect([answer.status, answer.body.toString()]).toEqual([status, 'gone there'])
    }
    expect(urls).toEqual(['/301', '/302', '/303', '/307', '/308'])
  })

  it('tries the next address of a name when the first refuses the connection', async () => {
    const { port } = await receive(httpServer(), { host: '127.0.0.2' })
    const outbound = open({ resolve: async () => ['127.0.0.1', '127.0.0.2'] })
    expect((await outbound.send(`http://receiver.test:${port}/`, post())).status).toBe(200)
  })
})

describe('the deadline', () => {
  it('ends a response that arrives byte by byte', async () => {
    const { port, connections } = await receive(
      httpServer((_, response) => {
        const drip = setInterval(() => response.write('.'), 10)
        response.on('close', () => clearInterval(drip))
      }),
    )
    expect(await failure(open().send(`http://127.0.0.1:${port}/`, post({ timeoutMs: 200 })))).toBe(
      'the request timed out',
    )
    await expect.poll(() => connections.every((socket) => socket.destroyed)).toBe(true)
  })

  it('ends a response whose headers arrive line by line', async () => {
    const { port } = await receive(
      rawServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('a: b\r\n'), 10)
        socket.on('close', () => clearInterval(drip))
      }),
    )
    expect(await failure(open().send(`http://127.0.0.1:${port}/`, post({ timeoutMs: 200 })))).toBe(
      'the request timed out',
    )
  })

  it.each(['http', 'https'])('ends the wait for a receiver that never responds over %s', async (scheme) => {
    const { port, connections } = await receive(rawServer(() => undefined))
    expect(await failure(open().send(`${scheme}://127.0.0.1:${port}/`, post({ timeoutMs: 200 })))).toBe(
      'the request timed out',
    )
    await expect.poll(() => connections.map((socket) => socket.destroyed)).toEqual([true])
  })

  it('ends a request that the receiver does not read', async () => {
    const { port } = await receive(rawServer((socket) => socket.pause()))
    const request = post({ body: Buffer.alloc(20_000_000), timeoutMs: 300 })
    expect(await failure(open().send(`http://127.0.0.1:${port}/`, request))).toBe('the request timed out')
  })

  it('includes the time of the resolver', async () => {
    const outbound = open({ resolve: () => new Promise(() => undefined) })
    const err = await outbound.send('http://receiver.test/', post({ timeoutMs: 50 })).catch((reason) => reason)
    expect(err).toMatchObject({ name: 'AddressRefused', reason: 'unresolvable' })
  })
})

describe('the response', () => {
  it('is cut at the size limit, and the connection is closed', async () => {
    const { port, connections } = await receive(
      httpServer((_, response) => {
        const pour = () => {
          while (!response.destroyed && response.write('x'.repeat(10_000))) {}
        }
        response.on('drain', pour)
        pour()
      }),
    )
    const { status, body } = await open().send(`http://127.0.0.1:${port}/`, post({ maxBytes: 65_536 }))
    expect([status, body.toString() === 'x'.repeat(65_536)]).toEqual([200, true])
    await expect.poll(() => connections.map((socket) => socket.destroyed)).toEqual([true])
  })

  it('is not waited for beyond the size limit', async () => {
    const { port } = await receive(
      rawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n${'x'.repeat(1_000)}`)),
    )
    expect((await open().send(`http://127.0.0.1:${port}/`, post({ maxBytes: 1_000 }))).body).toHaveLength(1_000)
  })

  it('is returned even if it arrives before the request was read', async () => {
    const { port, connections } = await receive(
      rawServer((socket, _, request) => {
        if (request > 1) return
        socket.pause()
        socket.write('HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig')
      }),
    )
    const { status, body } = await open().send(`http://127.0.0.1:${port}/`, post({ body: Buffer.alloc(20_000_000) }))
    expect([status, body.toString()]).toEqual([413, 'big'])
    // The socket is paused. Only after `resume` does it notice that the other end has closed the connection.
    connections[0]!.resume()
    await expect.poll(() => connections[0]!.destroyed).toBe(true)
  })

  it.each([
    ['SSH-2.0-OpenSSH_9.6\r\n\r\n', 'the response is not valid HTTP'],
    [`HTTP/1.1 200 OK\r\na: ${'b'.repeat(100_000)}\r\n\r\n`, 'the response is not valid HTTP'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', 'the connection was closed'],
    ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'the connection was closed'],
    ['', 'the connection was closed'],
  ])('that consists of %j causes the error: %s', async (bytes, message) => {
    const { port } = await receive(rawServer((socket) => socket.end(bytes)))
    expect(await failure(open().send(`http://127.0.0.1:${port}/`, post()))).toBe(message)
  })
})

describe('interim responses', () => {
  const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
  const send = async (bytes: string) => {
    const { port, connections } = await receive(rawServer((socket) => socket.write(bytes)))
    return { sent: open().send(`http://127.0.0.1:${port}/`, post()), connections }
  }

  it('are skipped if there are at most ten', async () => {
    const { sent } = await send(
      `${hint.repeat(9)}HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`,
    )
    expect((await sent).body.toString()).toBe('ok')
  })

  it.each([
    ['103 Early Hints', hint],
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('[WHK-24] end the request if there are more than ten: %s', async (_, bytes) => {
    const { sent, connections } = await send(bytes.repeat(11))
    expect(await failure(sent)).toBe('the response is not valid HTTP')
    await expect.poll(() => connections.map((socket) => socket.destroyed)).toEqual([true])
  })
})

describe('a pooled connection that the other end closes', () => {
  const good = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

  it('is replaced by a new one, and the request is sent again', async () => {
    const { port, connections } = await receive(
      rawServer((socket, _, request) => (request === 1 ? socket.write(good) : socket.resetAndDestroy())),
    )
    const outbound = open()
    const send = () => outbound.send(`http://127.0.0.1:${port}/`, post())
    await Promise.all([send(), send(), send()])
    expect(connections).toHaveLength(3)
    // The other pooled connections are stale too, so the request is sent again on a new one.
    expect((await send()).status).toBe(200)
    expect(connections).toHaveLength(4)
  })

  it('[WHK-50] is replaced only once', async () => {
    let requests = 0
    const { port } = await receive(
      rawServer((socket) => (++requests === 1 ? socket.write(good) : socket.resetAndDestroy())),
    )
    const outbound = open()
    await outbound.send(`http://127.0.0.1:${port}/`, post())
    expect(await failure(outbound.send(`http://127.0.0.1:${port}/`, post()))).toBe('the connection was closed')
    expect(requests).toBe(3)
  })

  it('pauses pooling for its receiver, so that a receiver that closes silently gets few requests twice', async () => {
    let requests = 0
    const { port, connections } = await receive(
      rawServer((socket, _, request) => {
        requests++
        request === 1 ? socket.write(good) : socket.resetAndDestroy()
      }),
    )
    const outbound = open()
    for (let i = 0; i < 10; i++) expect((await outbound.send(`http://127.0.0.1:${port}/`, post())).status).toBe(200)
    expect([requests, connections.length]).toEqual([11, 10])
  })

  it('is replaced together with other idle connections, so that few requests are sent twice', async () => {
    let requests = 0
    const { port } = await receive(
      rawServer((socket, _, request) => {
        requests++
        if (request > 1) socket.resetAndDestroy()
        else setTimeout(() => socket.write(good), 50)
      }),
    )
    const outbound = open()
    const send = () => outbound.send(`http://127.0.0.1:${port}/`, post())
    await Promise.all(Array.from({ length: 10 }, send))
    for (let i = 0; i < 10; i++) await send()
    expect(requests).toBe(21)
  })

  it('is not replaced when the time of the request is over', async () => {
    const now = performance.now.bind(performance)
    const { port, connections } = await receive(
      rawServer((socket, _, request) => {
        if (request === 1) return void socket.write(good)
        vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000)
        socket.resetAndDestroy()
      }),
    )
    const outbound = open()
    await outbound.send(`http://127.0.0.1:${port}/`, post())
    expect(await failure(outbound.send(`http://127.0.0.1:${port}/`, post()))).toBe('the connection was closed')
    vi.restoreAllMocks()
    expect(connections).toHaveLength(1)
  })

  it('[WHK-50] causes no request to another address of the name', async () => {
    const urls: string[] = []
    const first: Receiver = await startReceiver(
      rawServer((socket, _, request) => {
        if (request === 1) return void socket.write(good)
        void first.stop()
        socket.resetAndDestroy()
      }),
    )
    const second = await startReceiver(
      httpServer(({ url }, response) => {
        urls.push(url)
        response.end()
      }),
      { host: '127.0.0.2', port: first.port },
    )
    started.push(second)
    const outbound = open({ resolve: async () => ['127.0.0.1', '127.0.0.2'] })
    const url = `http://receiver.test:${first.port}/`
    expect((await outbound.send(url, post())).status).toBe(200)
    expect(await failure(outbound.send(url, post()))).toBe('the connection was refused')
    expect(urls).toEqual([])
  })

  it('is not replaced when the response had started', async () => {
    const { port, connections } = await receive(
      rawServer((socket, _, request) => {
        socket.write(request === 1 ? good : 'HTTP/1.1 2')
        if (request > 1) setTimeout(() => socket.resetAndDestroy(), 50)
      }),
    )
    const outbound = open()
    await outbound.send(`http://127.0.0.1:${port}/`, post())
    expect(await failure(outbound.send(`http://127.0.0.1:${port}/`, post()))).toBe('the connection was closed')
    expect(connections).toHaveLength(1)
  })

  it('is replaced only if it was opened for an earlier request', async () => {
    const { port, connections } = await receive(rawServer((socket) => socket.resetAndDestroy()))
    expect(await failure(open().send(`http://127.0.0.1:${port}/`, post()))).toBe('the connection was closed')
    expect(connections).toHaveLength(1)
  })
})

describe('closing', () => {
  it('aborts a request on a pooled connection, and does not send it again', async () => {
    const { port, connections } = await receive(
      rawServer((socket, _, request) => request === 1 && socket.write('HTTP/1.1 204 No Content\r\n\r\n')),
    )
    const outbound = open()
    await outbound.send(`http://127.0.0.1:${port}/`, post())
    const waiting = failure(outbound.send(`http://127.0.0.1:${port}/`, post()))
    await sleep(50)
    outbound.close()
    expect(await waiting).toBe('the connection was closed')
    expect(connections).toHaveLength(1)
  })

  it('aborts requests in progress, and sends nothing more', async () => {
    const { port, connections } = await receive(rawServer(() => undefined))
    const outbound = open()
    const waiting = failure(outbound.send(`http://127.0.0.1:${port}/`, post()))
    await expect.poll(() => connections.length).toBe(1)
    outbound.close()
    expect(await waiting).toBe('the connection was closed')
    expect(await failure(outbound.send(`http://127.0.0.1:${port}/`, post()))).toBe('the sender is shutting down')
    expect(connections).toHaveLength(1)
  })
})
