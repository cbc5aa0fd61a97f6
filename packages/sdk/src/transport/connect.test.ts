import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '#connect'
import { startServer } from '../testing/test-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serve(address?: string) {
  const server = await startServer(
    ({ headers, body }) => ({ body: { host: headers.host, length: body.length } }),
    address,
  )
  closing.push(server.close)
  return server
}

const isTaken = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createTcpServer()
    probe.once('error', () => resolve(true))
    probe.listen(port, host, () => probe.close(() => resolve(false)))
  })

const get = { method: 'GET', headers: {} }

describe('the transport in Node', () => {
  it('[SDK-07] resolves *.localhost to loopback on every system', async () => {
    const { port } = await serve()
    for (const host of ['tower-ab12c.localhost', 'deep.er.localhost', 'localhost']) {
      const answer = await connect(`http://${host}:${port}/`, get)
      expect(await answer.json()).toEqual({ host: `${host}:${port}`, length: 0 })
    }
  })

  it('tries the IPv6 loopback address after the IPv4 loopback address', async () => {
    // Tries another port if a program uses the same port on the IPv4 address.
    let { port } = await serve('::1')
    while (await isTaken('127.0.0.1', port)) port = (await serve('::1')).port
    expect((await connect(`http://six.localhost:${port}/`, get)).status).toBe(200)
  })

  it('connects to an IP address', async () => {
    const { port } = await serve()
    expect(await (await connect(`http://127.0.0.1:${port}/`, get)).json()).toMatchObject({ host: `127.0.0.1:${port}` })
  })

  it('rejects when a connection ends or is reset before a response', async () => {
    const ends = [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.resetAndDestroy()]
    for (const end of ends) {
      const server = createTcpServer(end)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      closing.push(() => server.close())
      const { port } = server.address() as AddressInfo
      for (const host of ['127.0.0.1', 'cut.localhost']) {
        for (const init of [get, { method: 'POST', headers: {}, body: 'x' }]) {
          await expect(connect(`http://${host}:${port}/`, init)).rejects.toMatchObject({
            code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/),
          })
        }
      }
    }
  })

  it('rejects when the response is a protocol upgrade', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const { port } = server.address() as AddressInfo
    await expect(connect(`http://127.0.0.1:${port}/`, get)).rejects.toThrow()
  })

  it('decompresses a response, and rejects when it ends too early', async () => {
    const packed = gzipSync(JSON.stringify({ rooms: 'räume'.repeat(1000) }))
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
      if (request.url === '/whole') response.end(packed)
      else response.write(packed.subarray(0, 20), () => response.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const whole = await connect(`http://127.0.0.1:${port}/whole`, get)
    expect(await whole.json()).toEqual({ rooms: 'räume'.repeat(1000) })
    const half = await connect(`http://127.0.0.1:${port}/half`, get)
    await expect(half.text()).rejects.toThrow()
  })

  it('reuses a connection', async () => {
    const { port, server } = await serve()
    let connections = 0
    server.on('connection', () => connections++)
    for (let n = 0; n < 5; n++) await (await connect(`http://kept.localhost:${port}/`, get)).text()
    expect(connections).toBe(1)
  })

  it('sends texts, bytes, blobs and streams', async () => {
    const { port, received } = await serve()
    const stream = new Blob(['räume'.repeat(1000)]).stream() as ReadableStream<Uint8Array>
    const bodies = ['räume', new TextEncoder().encode('räume'), new Blob(['räume'.repeat(1000)]), stream]
    const lengths: number[] = []
    for (const body of bodies) {
      const answer = await connect(`http://up.localhost:${port}/`, { method: 'POST', headers: {}, body })
      lengths.push(((await answer.json()) as { length: number }).length)
    }
    expect(lengths).toEqual([5, 5, 5000, 5000])
    expect(received.map(({ headers }) => headers['content-length'])).toEqual(['6', '6', '6000', undefined])
  })

  it('returns a response that comes before the whole body was sent', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(413, { connection: 'close' }).end('{"code":"BODY_TOO_LARGE"}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const endless = new ReadableStream<Uint8Array>({ pull: (pipe) => pipe.enqueue(new Uint8Array(65_536)) })
    const sent = connect(`http://large.localhost:${port}/`, { method: 'POST', headers: {}, body: endless })
    expect((await sent).status).toBe(413)
  })

  it('ends a request whose signal is aborted: before it is sent, before the response, or while the body arrives', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/part') response.write('half')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(
      () => server.close(),
      () => server.closeAllConnections(),
    )
    const { port } = server.address() as AddressInfo
    const ended = AbortSignal.abort(new Error('before'))
    await expect(connect(`http://a.localhost:${port}/`, { ...get, signal: ended })).rejects.toThrow('before')
    const ending = new AbortController()
    const waiting = connect(`http://a.localhost:${port}/`, { ...get, signal: ending.signal })
    setTimeout(() => ending.abort(new Error('while')), 30)
    await expect(waiting).rejects.toThrow('while')
    const late = new AbortController()
    const answer = await connect(`http://a.localhost:${port}/part`, { ...get, signal: late.signal })
    setTimeout(() => late.abort(), 30)
    await expect(answer.text()).rejects.toThrow()
  })
})

describe('the build for browsers', () => {
  it('does not import Node modules, unlike the build for Node', async () => {
    const sources = ['index.ts', 'module/index.ts'].map((file) => fileURLToPath(new URL(`../${file}`, import.meta.url)))
    for (const [conditionNames, expected] of [
      [['source', 'browser', 'import', 'default'], []],
      [
        ['source', 'node', 'import', 'default'],
        ['node:http', 'node:https', 'node:stream', 'node:stream/promises', 'node:zlib'],
      ],
    ] as const) {
      const build = await rolldown({
        input: [...sources],
        external: [/^node:/, 'react', 'socket.io-client'],
        resolve: { conditionNames: [...conditionNames] },
      })
      const { output } = await build.generate({ format: 'esm' })
      await build.close()
      const imports = output.flatMap((file) => (file.type === 'chunk' ? file.imports : []))
      expect(imports.filter((name) => name.startsWith('node:')).sort()).toEqual(expected)
    }
  })
})
