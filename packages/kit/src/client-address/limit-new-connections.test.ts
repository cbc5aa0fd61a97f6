import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { createNewConnectionCount, limitNewConnections } from './limit-new-connections.ts'

describe('new connections of an address', () => {
  it('[HST-53] are limited by rate, and other addresses are not affected', () => {
    let now = 0
    const { isOver } = createNewConnectionCount({ burst: 4, perSecond: 2 }, () => now)
    const open = (count: number, address: string) => Array.from({ length: count }, () => isOver(address))
    expect(open(6, '192.0.2.1')).toEqual([false, false, false, false, true, true])
    expect(open(1, '192.0.2.2')).toEqual([false])
    now = 1_000
    expect(open(3, '192.0.2.1')).toEqual([false, false, true])
    now = 60_000
    expect(open(5, '::ffff:192.0.2.1')).toEqual([false, false, false, false, true])
  })

  it('[HST-53] count for the whole network of an IPv6 address', () => {
    const { isOver } = createNewConnectionCount({ burst: 1, perSecond: 1 }, () => 0)
    expect(['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map(isOver)).toEqual([false, true, false])
  })

  it('[HST-53] are not counted if the address is that of a trusted proxy', () => {
    const isExempt = (address: string) => address === '192.0.2.9'
    const { isOver } = createNewConnectionCount({ burst: 1, perSecond: 1, isExempt }, () => 0)
    expect(['192.0.2.9', '192.0.2.9', '192.0.2.1', '192.0.2.1'].map(isOver)).toEqual([false, false, false, true])
  })

  it('[HST-60] are refused for a while if the address was charged for many connections at once', () => {
    let now = 0
    const { isOver, charge } = createNewConnectionCount({ burst: 4, perSecond: 2 }, () => now)
    charge('192.0.2.1', 100)
    expect([isOver('192.0.2.1'), isOver('192.0.2.2')]).toEqual([true, false])
    now = 2_000
    expect(isOver('192.0.2.1')).toBe(true)
    now = 2_500
    expect(isOver('192.0.2.1')).toBe(false)
  })

  it('are counted for a bounded number of addresses', () => {
    const { isOver } = createNewConnectionCount({ burst: 1, perSecond: 1 }, () => 0)
    isOver('192.0.2.1')
    for (let i = 0; i < 10_000; i++) isOver(`10.0.${i >> 8}.${i & 255}`)
    expect(isOver('192.0.2.1')).toBe(false)
  })
})

describe('a server', () => {
  let server: Server
  afterEach(() => new Promise((resolve) => server.close(resolve)))

  const createGreeter = () =>
    createServer(
      (socket) =>
        void socket
          .on('error', () => undefined)
          .resume()
          .end('hello'),
    )

  async function listen(started: Server): Promise<number> {
    server = started
    limitNewConnections(server, { burst: 2, perSecond: 0 })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  /** Whether the connection is refused before the server does anything for it. */
  async function isReset(port: number, localAddress: string): Promise<boolean> {
    const client = connect({ port, host: '127.0.0.1', localAddress })
    const events = Promise.race([
      once(client, 'close').then(
        () => true,
        () => true,
      ),
      once(client, 'data').then(
        () => false,
        () => true,
      ),
    ])
    client.write('GET / HTTP/1.0\r\n\r\n')
    const reset = await events
    client.destroy()
    return reset
  }

  it.each([
    ['HTTP', () => createHttpServer((_request, response) => void response.end('hello'))],
    ['TCP', createGreeter],
  ])('[HST-53] of %s creates no socket for an address that opens too many connections', async (_name, create) => {
    const started = create()
    let sockets = 0
    started.on('connection', () => sockets++)
    const port = await listen(started)
    const results: boolean[] = []
    for (const from of ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.2'])
      results.push(await isReset(port, from))
    expect(results).toEqual([false, false, true, true, false])
    expect(sockets).toBe(3)
  })

  it('[HST-53] creates no socket for a client that disconnected before it was accepted', async () => {
    let sockets = 0
    const port = await listen(createGreeter())
    server.on('connection', () => sockets++)
    const leave = `const { connect } = require('node:net')
      const { workerData: { port, gone } } = require('node:worker_threads')
      const client = connect(port, '127.0.0.1', () => client.resetAndDestroy())
      client.on('close', () => { Atomics.store(gone, 0, 1); Atomics.notify(gone, 0) })`
    const gone = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(leave, { eval: true, workerData: { port, gone } })
    // This blocks the thread, so that the server accepts nothing until the client has disconnected.
    Atomics.wait(gone, 0, 0, 10_000)
    expect(await isReset(port, '127.0.0.1')).toBe(false)
    await worker.terminate()
    expect(sockets).toBe(1)
  })
})
