import { existsSync } from 'node:fs'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { createClientAddresses, parseRange } from '@storey/kit/client-address'
import { afterEach, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../testing/test-gateway.ts'
import { createCallers } from './callers.ts'
import { createConnections } from './connections.ts'

let test: TestGateway
afterEach(() => test.close())

const request = (path: string, lines = '') =>
  `GET ${path} HTTP/1.1\r\nHost: a.localhost\r\nX-Marker: ${path}\r\n${lines}\r\n`
/** Only Linux reports what clients have not read. */
const hasSendQueues = existsSync('/proc/net/tcp')
const isOpen = ({ socket }: { socket: { destroyed: boolean } }) => !socket.destroyed
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const open = () => promisify(test.gateway.getConnections.bind(test.gateway))()
type Client = Awaited<ReturnType<TestGateway['connect']>>

async function several(count: number, from?: string): Promise<Client[]> {
  const clients: Client[] = []
  for (let i = 0; i < count; i++) clients.push(await test.connect(from))
  return clients
}
async function ask(client: Client, path: string): Promise<string> {
  client.write(request(path))
  return client.until((text) => text.includes(path))
}

describe('a client', () => {
  const minimumRate = { windowMs: 400, bytesPerSecond: 1_000, slowReadsMs: 2_500, waitLimitMs: 80_000, everyMs: 50 }

  it('[HST-32] that sends no complete head gets 408 and is disconnected, even if it never closes the connection', async () => {
    test = await startTestGateway({ headLimitMs: 300 })
    const clients = await Promise.all([1, 2, 3].map(() => test.connect('127.0.0.1', true)))
    clients[0]!.write('GET / HT')
    clients[1]!.write('GET / HTTP/1.1\r\nHost: a.localhost\r\nX-A')
    for (const client of clients) expect(await client.until((text) => text !== '')).toMatch(/^HTTP\/1\.1 408 /)
    await expect.poll(open).toBe(0)
    expect(clients.map(isOpen)).toEqual([true, true, true])
    for (const { socket } of clients) socket.destroy()
    expect(test.stack.seen).toEqual([])
  })

  it('[HST-32] that stops in the middle of a body, to a sandbox or the control plane, gets 408', async () => {
    test = await startTestGateway({
      minimumRate,
      controlPlane: (request) => void request.on('error', () => undefined).resume(),
    })
    const clients = await several(2)
    for (const [i, host] of ['a.localhost', 'localhost'].entries()) {
      clients[i]!.write(`POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100000\r\n\r\nabc`)
    }
    await Promise.all(clients.map(({ closed }) => closed))
    for (const client of clients) expect(client.received()).toMatch(/^HTTP\/1\.1 408 [\s\S]*REQUEST_TIMEOUT/)
    expect(test.stack.seen.map(({ complete }) => complete)).toEqual([false])
  })

  it('[HST-32] that offers an upgrade to the live channel and announces a body, which it does not send completely, is refused immediately', async () => {
    test = await startTestGateway({ minimumRate })
    const head = 'Host: a.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
    const target = '/socket.io/?EIO=4&transport=websocket'
    const clients = await several(3)
    clients[0]!.write(`GET ${target} HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\nabc`)
    clients[1]!.write(`POST ${target} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`)
    clients[2]!.write(`POST /api/v1/x HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\nabc`)
    await Promise.all(clients.map(({ closed }) => closed))
    for (const client of clients.slice(0, 2)) expect(client.received()).toMatch(/^HTTP\/1\.1 400 [\s\S]*without a body/)
    expect(clients[2]!.received()).toMatch(/^HTTP\/1\.1 408 /)
    expect(test.stack.seen.map(({ url }) => url)).toEqual(['/api/v1/x'])
  })

  it('[HST-32] that sends only a byte now and then is disconnected', async () => {
    test = await startTestGateway({ minimumRate })
    const client = await test.connect()
    client.write('POST / HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 100000\r\n\r\n')
    const dribble = setInterval(() => client.write('x'), 100)
    await client.closed
    clearInterval(dribble)
    expect(client.received()).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('[HST-32] that sends only empty lines after a response is disconnected like an idle client', async () => {
    test = await startTestGateway({ minimumRate: { ...minimumRate, waitLimitMs: 1_500 } })
    const [idle, busy] = await several(2)
    const lines = setInterval(() => idle!.write('\r\n'), 100)
    for (let i = 0; i < 8; i++) {
      await ask(busy!, `/busy-${i}`)
      if (i === 0) await ask(idle!, '/idle')
      await pause(500)
    }
    clearInterval(lines)
    expect([idle!, busy!].map(isOpen)).toEqual([false, true])
  })

  // With this window the minimum rate would act only after the end of the test, so another limit disconnects the
  // client.
  const patient = { ...minimumRate, windowMs: 120_000 }

  it('that sends the body of a refused request too slowly is disconnected', async () => {
    test = await startTestGateway({ minimumRate: patient })
    const client = await test.connect()
    client.write('POST / HTTP/1.1\r\nHost: elsewhere.example\r\nContent-Length: 100000\r\n\r\n')
    const dribble = setInterval(() => client.write('x'), 100)
    await client.closed
    clearInterval(dribble)
    expect(client.received()).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('is disconnected if it sends the rest of the body too slowly after the response', async () => {
    test = await startTestGateway({
      minimumRate: patient,
      controlPlane: (_request, response) => void response.end('enough'),
    })
    const client = await test.connect()
    client.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n')
    const dribble = setInterval(() => client.write('x'), 100)
    await client.closed
    clearInterval(dribble)
    expect(client.received()).toContain('enough')
  })

  it('[HST-32] that never stops sending after its response is disconnected before 600 KB are read', async () => {
    test = await startTestGateway({ controlPlane: (_request, response) => void response.end('enough') })
    const client = await test.connect('127.0.0.1', true)
    let read = 0
    test.gateway.on('request', ({ socket }) => socket.once('close', () => (read = socket.bytesRead)))
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\n\r\n')
    await client.until((text) => text.includes('enough'))
    const send = setInterval(() => client.write('x'.repeat(1_000_000)), 10)
    await expect.poll(open).toBe(0)
    clearInterval(send)
    client.socket.destroy()
    expect(read).toBeLessThan(600_000)
  })

  it('[HST-32] that stops reading its response is reset, and its stack is released', async () => {
    test = await startTestGateway({ minimumRate, answer: () => ({ body: 'x'.repeat(50_000_000) }) })
    const client = await test.connect()
    const errors: (string | undefined)[] = []
    client.socket.on('error', ({ code }: NodeJS.ErrnoException) => errors.push(code))
    client.socket.pause()
    client.write(request('/large'))
    await expect.poll(() => test.using.now).toBe(1)
    await expect.poll(() => test.using.now).toBe(0)
    client.socket.resume()
    await client.closed
    expect(client.received().length).toBeLessThan(50_000_000)
    // The gateway resets the connection, because after a normal close the kernel would keep the unread rest, outside
    // all limits.
    expect(errors).toEqual(['ECONNRESET'])
  })

  it('[HST-32] that is signed in may stop reading for a while, and is disconnected if it stops for longer', async () => {
    const body = 'x'.repeat(50_000_000)
    test = await startTestGateway({ minimumRate, answer: () => ({ headers: { 'x-storey-signed-in': '1' }, body }) })
    const [slow, gone] = (await several(2)) as [Client, Client]
    for (const client of [slow, gone]) {
      client.socket.pause()
      client.write(request('/large'))
    }
    await expect.poll(() => test.using.now).toBe(2)
    // An unauthenticated client that stopped reading for this long would be disconnected.
    await pause(1_200)
    slow.socket.resume()
    await slow.until((text) => text.length > body.length)
    await expect.poll(() => test.using.now).toBe(0)
    gone.socket.resume()
    await gone.closed
    expect(gone.received().length).toBeLessThan(body.length)
  })

  /** About 1 MB, which the kernel buffers immediately, so that the gateway has nothing left to write. */
  const body = 'x'.repeat(1_000_000)
  const last = request('/last', 'Connection: close\r\n')

  it.runIf(hasSendQueues)('[HST-62] that has not read its last response counts as connected', async () => {
    test = await startTestGateway({ minimumRate: { ...minimumRate, windowMs: 120_000 }, answer: () => ({ body }) })
    const client = await test.connect()
    client.socket.pause()
    client.write(last)
    await expect.poll(() => test.using.now + test.stack.seen.length).toBe(1)
    await pause(800)
    expect(await open()).toBe(1)
    client.socket.resume()
    await client.closed
    expect(client.received().length).toBeGreaterThan(body.length)
    await expect.poll(open).toBe(0)
  })

  it.runIf(hasSendQueues)('[HST-62] that never reads its last response is reset', async () => {
    test = await startTestGateway({ minimumRate, answer: () => ({ body }) })
    const client = await test.connect()
    const errors: (string | undefined)[] = []
    client.socket.on('error', ({ code }: NodeJS.ErrnoException) => errors.push(code))
    client.socket.pause()
    client.write(last)
    await expect.poll(() => test.stack.seen.length).toBe(1)
    await expect.poll(open).toBe(0)
    client.socket.resume()
    await client.closed
    expect(errors).toEqual(['ECONNRESET'])
  })

  it('[HST-62] that does not end its side is disconnected when it has read its last response', async () => {
    test = await startTestGateway({ minimumRate, answer: () => ({ body }) })
    const client = await test.connect('127.0.0.1', true)
    client.write(last)
    await expect.poll(open).toBe(0)
    expect(client.received().length).toBeGreaterThan(body.length)
    client.socket.destroy()
  })

  it.runIf(hasSendQueues)(
    '[HST-62] that ends its side before it has read its responses counts as connected',
    async () => {
      test = await startTestGateway({ minimumRate, answer: () => ({ body }) })
      const client = await test.connect('127.0.0.1', true)
      client.socket.pause()
      client.write(request('/kept'))
      await expect.poll(() => test.stack.seen.length).toBe(1)
      await pause(200)
      client.socket.end()
      // If the gateway still had bytes to write, a client that stopped reading for this long would be disconnected.
      await pause(1_200)
      expect(await open()).toBe(1)
      client.socket.resume()
      await client.until((text) => text.length > body.length)
      await expect.poll(open).toBe(0)
      expect(client.received().length).toBeGreaterThan(body.length)
    },
  )

  it.runIf(hasSendQueues)(
    '[HST-62] that keeps sending after its last response is disconnected before 1 MB is read',
    async () => {
      test = await startTestGateway({ minimumRate, answer: () => ({ body }) })
      const client = await test.connect()
      let read = 0
      test.gateway.on('request', ({ socket }) => socket.once('close', () => (read = socket.bytesRead)))
      client.socket.pause()
      client.write(last)
      await expect.poll(() => test.stack.seen.length).toBe(1)
      const send = setInterval(() => client.write('\r\n'.repeat(500_000)), 10)
      await expect.poll(open).toBe(0)
      clearInterval(send)
      expect(read).toBeLessThan(1_000_000)
    },
  )

  it.runIf(hasSendQueues)('[HST-62] that has not read its responses cannot upgrade its connection', async () => {
    test = await startTestGateway({ answer: () => ({ body }) })
    const client = await test.connect()
    client.socket.pause()
    client.write(request('/large'))
    await expect.poll(() => test.stack.seen.length).toBe(1)
    await pause(200)
    client.write(
      'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    )
    await pause(200)
    client.socket.resume()
    await client.closed
    expect(client.received()).toMatch(/HTTP\/1\.1 400 [\s\S]*an upgrade must not be sent before/)
    expect(test.stack.seen).toHaveLength(1)
  })

  it.runIf(hasSendQueues)('[HST-61] that leaves too much unread is reset, even if it is signed in', async () => {
    const MB = 1024 * 1024
    test = await startTestGateway({
      minimumRate: { ...minimumRate, slowReadsMs: 120_000 },
      unreadLimits: { perAddress: 3 * MB, total: 100 * MB },
      answer: () => ({ headers: { 'x-storey-signed-in': '1' }, body }),
    })
    const silent = await several(6)
    const [reader, elsewhere] = [await test.connect(), await test.connect('127.0.0.2')]
    for (const { socket } of [...silent, elsewhere]) socket.pause()
    for (const client of [...silent, elsewhere]) client.write(request('/large'))
    await expect.poll(open).toBeLessThanOrEqual(5)
    reader.write(request('/large'))
    await reader.until((text) => text.length > body.length)
    expect([reader, elsewhere].map(isOpen)).toEqual([true, true])
    for (const { socket } of [...silent, elsewhere]) socket.destroy()
  })

  it('[HST-32] that pipelines too many requests, together with other clients, is reset', async () => {
    test = await startTestGateway({ answer: ({ url }) => (url === '/held' ? undefined : {}) })
    const clients = await several(20)
    for (const client of clients) client.write(request('/held').repeat(300))
    // All connections together may have 4,096 pipelined requests: enough for 13 clients with 300 each.
    await expect.poll(open).toBe(13)
    const other = await test.connect('127.0.0.2')
    expect(await ask(other, '/other')).toMatch(/^HTTP\/1\.1 200 /)
    for (const { socket } of clients) socket.destroy()
    await expect.poll(open).toBe(1)
    const again = await test.connect()
    again.write(request('/again').repeat(300))
    await again.until((text) => text.split('HTTP/1.1 200').length > 300)
  })

  it('[HST-63] that pipelines too many requests is reset before the rest of them are parsed', async () => {
    test = await startTestGateway({ answer: () => undefined })
    let parsed = 0
    test.gateway.prependListener('request', () => parsed++)
    const client = await test.connect()
    client.write('GET / HTTP/1.1\r\nHost: a.localhost\r\n\r\n'.repeat(1_700))
    await client.closed
    expect(parsed).toBeGreaterThan(500)
    expect(parsed).toBeLessThan(600)
  })

  it('[HST-64] that sends a body in very small chunks is refused before the rest is read', async () => {
    test = await startTestGateway({ answer: () => undefined })
    const [tiny, small] = await several(2)
    const head = 'POST / HTTP/1.1\r\nHost: a.localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
    tiny!.write(`${head}${'1\r\nx\r\n'.repeat(3_000)}0\r\n\r\n`)
    expect(await tiny!.until((text) => text !== '')).toMatch(/^HTTP\/1\.1 400 [\s\S]*\/transfer-encoding/)
    small!.write(`${head}${'10\r\n0123456789abcdef\r\n'.repeat(3_000)}0\r\n\r\n`)
    await expect.poll(() => test.stack.seen.some(({ complete }) => complete)).toBe(true)
    expect(isOpen(small!)).toBe(true)
    small!.socket.destroy()
  })

  it('[HST-65] that offers an unknown upgrade gets its response without the upgrade, and no later request is executed', async () => {
    test = await startTestGateway()
    const client = await test.connect()
    const body = request('/smuggled').padEnd(500)
    client.write(
      `${request('/first', 'Connection: Upgrade\r\nUpgrade: foo\r\n')}POST /second HTTP/1.1\r\nHost: a.localhost\r\nContent-Length: 500\r\n\r\n`,
    )
    await client.until((text) => text.includes('/first'))
    client.write(body)
    await client.closed
    expect(test.stack.seen.map(({ url }) => url)).toEqual(['/first'])
    expect(client.received().split('HTTP/1.1 ').length).toBe(2)
  })

  const flood = '\r\n'.repeat(5_000_000)

  it('[HST-32] that sends only empty lines while its request is handled gets its response, and most of the lines are not read', async () => {
    test = await startTestGateway({ minimumRate, wake: () => pause(1_200) })
    let read = 0
    test.gateway.on('request', ({ socket }, response) => response.once('finish', () => (read = socket.bytesRead)))
    const client = await test.connect()
    client.write(request('/slow'))
    client.write(flood)
    expect(await client.until((text) => text.includes('/slow'))).toMatch(/^HTTP\/1\.1 200 /)
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(500_000)
  })

  it('[HST-32] that sends only empty lines while many pipelined requests wait gets all responses, and most of the lines are not read', async () => {
    test = await startTestGateway({ minimumRate, wake: () => pause(1_200) })
    let read = 0
    test.gateway.on('request', ({ socket }, response) => response.once('finish', () => (read ||= socket.bytesRead)))
    const client = await test.connect()
    client.write(Array.from({ length: 9 }, (_, i) => request(`/slow-${i}`)).join(''))
    client.write(flood)
    await client.until((text) => text.includes('/slow-8'))
    expect(read).toBeLessThan(500_000)
  })

  it.each([
    ['zeros before the size of a chunk', '0'.repeat(5_000_000)],
    ['spaces in a trailer', `2\r\n[]\r\n0\r\nX:${' '.repeat(5_000_000)}`],
    ['extensions of chunks', `2;${'x'.repeat(10_000)}\r\n[]\r\n`.repeat(500)],
  ])('[HST-32] that sends a chunked body with endless %s is refused', async (_, bytes) => {
    test = await startTestGateway({ minimumRate })
    let read = 0
    test.gateway.on('request', ({ socket }) => socket.once('close', () => (read = socket.bytesRead)))
    const client = await test.connect()
    client.write('POST /endless HTTP/1.1\r\nHost: a.localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
    client.write(bytes)
    await expect.poll(open).toBe(0)
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(1_000_000)
  })

  it('[HST-32] that sends chunks with extensions and trailers gets its response, and can send another request', async () => {
    test = await startTestGateway({ minimumRate })
    const client = await test.connect()
    client.write(
      'POST /chunked HTTP/1.1\r\nHost: a.localhost\r\nX-Marker: /chunked\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const chunk = 'x'.repeat(0x4000)
    client.write(`4000;signature=${'a'.repeat(64)}\r\n${chunk}\r\n`.repeat(200))
    client.write(`0\r\nX-Checksum: ${'b'.repeat(64)}\r\n\r\n`)
    await client.until((text) => text.includes('/chunked'))
    expect(await ask(client, '/next')).toContain('/next')
  })

  it('[HST-32] that floods with empty lines, before its first request or after one, is disconnected', async () => {
    test = await startTestGateway({ minimumRate })
    const [first, second] = await several(2)
    first!.write(flood)
    await ask(second!, '/one')
    second!.write(flood)
    await expect.poll(() => [first!, second!].map(isOpen)).toEqual([false, false])
    await expect.poll(open).toBe(0)
  })

  it('[HST-32] that sends a large body, a few empty lines and another request gets both responses', async () => {
    test = await startTestGateway({ minimumRate })
    const client = await test.connect()
    const lines = '\r\n'.repeat(1_000)
    client.write(`POST /large HTTP/1.1\r\nHost: a.localhost\r\nX-Marker: /large\r\nContent-Length: 3000000\r\n\r\n`)
    client.write('x'.repeat(3_000_000))
    await client.until((text) => text.includes('/large'))
    client.write(lines)
    expect(await ask(client, '/next')).toContain('/next')
  })

  it('that waits for a slow stack is not disconnected', async () => {
    test = await startTestGateway({ minimumRate, wake: () => pause(1_200) })
    const [plain, patient] = await several(2)
    plain!.write(request('/slow'))
    patient!.write(
      'PUT /held HTTP/1.1\r\nHost: a.localhost\r\nX-Marker: /held\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n',
    )
    await patient!.until((text) => text.includes('100 Continue'))
    patient!.write('x')
    expect(await plain!.until((text) => text.includes('/slow'))).toMatch(/^HTTP\/1\.1 200 /)
    expect(await patient!.until((text) => text.includes('/held'))).toContain('HTTP/1.1 200 ')
  })
})

describe('connections', () => {
  const limits = { total: 8, perAddress: 4 }
  const signedIn: TestGatewayOptions['answer'] = ({ url, headers }) => {
    if (url === '/held') return undefined
    return headers.authorization === 'Bearer good' ? { headers: { 'x-storey-signed-in': '1' } } : {}
  }
  const signIn = async (client: Client, path = '/signed-in') => {
    client.write(request(path, 'Authorization: Bearer good\r\n'))
    return client.until((text) => text.includes(path))
  }

  it('[HST-33] of one address are limited: a new connection replaces the one that has been idle longest', async () => {
    test = await startTestGateway({ limits })
    const clients = await several(4)
    await ask(clients[0]!, '/first')
    clients.push(...(await several(2)))
    await expect.poll(() => clients.map(isOpen)).toEqual([true, false, false, true, true, true])
    expect(await ask(clients[5]!, '/last')).toContain('200 OK')
  })

  it('[HST-33] of a caller stay open while unauthenticated clients connect from the same address', async () => {
    test = await startTestGateway({ limits, answer: signedIn })
    const [caller] = await several(1)
    await signIn(caller!)
    for (let i = 0; i < 20; i++) for (const client of await several(1)) client.write(i % 2 ? request('/held') : 'GET')
    expect(await signIn(caller!, '/again')).toContain('/again')
    const [newcomer] = await several(1)
    expect(await signIn(newcomer!, '/new')).toContain('/new')
  })

  it('[STK-25] with a long response keep a stack awake only if the request had a valid credential', async () => {
    test = await startTestGateway({ limits, answer: signedIn })
    const [client] = await several(1)
    const LONG_MS = 60_000
    client!.write(request('/document', 'Authorization: Bearer invented\r\n'))
    await client!.until((text) => text.includes('/document'))
    expect(test.using.isFromCaller(LONG_MS)).toBe(false)
    await signIn(client!)
    expect(test.using.isFromCaller(0)).toBe(true)
    // This request comes on the same connection, but without a credential.
    await ask(client!, '/other')
    expect(test.using.isFromCaller(LONG_MS)).toBe(false)
  })

  it('[HST-33] of callers with a request in progress are never closed', async () => {
    test = await startTestGateway({ limits, answer: signedIn })
    const callers = await several(4)
    for (const caller of callers) {
      await signIn(caller)
      caller.write(request('/held', 'Authorization: Bearer good\r\n'))
    }
    await expect.poll(() => test.using.now).toBe(4)
    const [late] = await several(1)
    await late!.closed
    expect(callers.map(isOpen)).toEqual([true, true, true, true])
    const [elsewhere] = await several(1, '127.0.0.2')
    expect(await ask(elsewhere!, '/elsewhere')).toContain('200 OK')
  })

  it('[HST-33] of a client with a valid credential stay open from its first response on, even before that response is complete', async () => {
    const head = 'HTTP/1.1 200 OK\r\nX-Storey-Signed-In: 1\r\nContent-Length: 10\r\n\r\n'
    const answer: TestGatewayOptions['answer'] = ({ url }) => (url === '/held' ? undefined : { raw: `${head}/first` })
    test = await startTestGateway({ limits, answer })
    const [caller] = await several(1)
    expect(await ask(caller!, '/first')).toContain('200 OK')
    const unauthenticated = await several(3)
    for (const client of unauthenticated) client.write(request('/held'))
    await expect.poll(() => test.using.now).toBe(4)
    await several(1)
    await Promise.race([caller!, ...unauthenticated].map(({ closed }) => closed))
    expect(isOpen(caller!)).toBe(true)
  })

  it('[HST-33] of other hosts in the network of a trusted proxy do not count as connections of the proxy', () => {
    const clientAddresses = createClientAddresses([parseRange('2001:db8::1')!])
    const connections = createConnections({
      limits: { total: 20, perAddress: 4 },
      clientAddresses,
      callers: createCallers(clientAddresses),
      serve: () => undefined,
    })
    const from = (value: string) => connections.add(Object.defineProperty(new Socket(), 'remoteAddress', { value }))
    from('2001:db8::2')
    for (let i = 0; i < 6; i++) from('2001:db8::1')
    expect(connections.size).toBe(7)
    for (let i = 0; i < 6; i++) from('2001:db8::2')
    expect(connections.size).toBe(10)
  })

  it('[HST-33] are limited in total: above the limit, connections of the address that has the most are closed', async () => {
    test = await startTestGateway({ limits: { total: 6, perAddress: 4 } })
    const greedy = await several(4)
    const modest = await several(2, '127.0.0.2')
    const late = await several(2, '127.0.0.3')
    await expect.poll(() => [greedy, modest, late].map((list) => list.filter(isOpen).length)).toEqual([2, 2, 2])
  })

  it('[HST-33] of the address with the most connections stay open if all have a request of a caller in progress: a connection of another address is closed', async () => {
    test = await startTestGateway({ limits: { total: 6, perAddress: 4 }, answer: signedIn })
    const callers = await several(4)
    for (const caller of callers) {
      await signIn(caller)
      caller.write(request('/held', 'Authorization: Bearer good\r\n'))
    }
    await expect.poll(() => test.using.now).toBe(4)
    const modest = await several(2, '127.0.0.2')
    const [late] = await several(1, '127.0.0.3')
    expect(await ask(late!, '/late')).toContain('200 OK')
    expect([callers, modest].map((list) => list.filter(isOpen).length)).toEqual([4, 1])
  })

  it('[HST-33] of a trusted proxy are closed if all other connections have a request of a caller in progress', async () => {
    const options = { limits: { total: 4, perAddress: 4 }, trustedProxies: ['127.0.0.1'] }
    test = await startTestGateway({ ...options, answer: signedIn })
    const [direct] = await several(1, '127.0.0.2')
    await signIn(direct!)
    direct!.write(request('/held', 'Authorization: Bearer good\r\n'))
    await expect.poll(() => test.using.now).toBe(1)
    const [late] = (await several(4)).slice(-1)
    expect(await ask(late!, '/late')).toContain('200 OK')
    expect(isOpen(direct!)).toBe(true)
  })

  it('[HST-33] of a trusted proxy do not count as those of one client, but the requests on them are limited for each client', async () => {
    const answer = signedIn
    test = await startTestGateway({ limits: { total: 20, perAddress: 2 }, trustedProxies: ['127.0.0.1'], answer })
    const clients = await several(6)
    const as = (client: string) => `X-Forwarded-For: ${client}\r\n`
    for (const client of clients.slice(0, 3)) client.write(request('/held', as('198.51.100.1')))
    await expect.poll(() => clients[2]!.received()).toMatch(/^HTTP\/1\.1 429 /)
    clients[3]!.write(request('/other', as('198.51.100.2')))
    expect(await clients[3]!.until((text) => text.includes('/other'))).toContain('200 OK')
    expect(clients.filter(isOpen)).toHaveLength(6)
  })
})

describe('a client that resets its connection', () => {
  const upgrade =
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a.localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const connect = 'CONNECT a.localhost:443 HTTP/1.1\r\nHost: a.localhost\r\n\r\n'

  it.each([
    ['an upgrade', upgrade],
    ['a CONNECT', connect],
  ])('[HST-32] ends only its own connection while %s waits behind another request', async (_name, second) => {
    const errors: unknown[] = []
    test = await startTestGateway({ answer: () => undefined })
    test.gateway.on('connection', (socket: Socket) => {
      // An error without a listener would end the process.
      const emit = socket.emit.bind(socket)
      socket.emit = (name: string, ...rest: unknown[]) => {
        if (name !== 'error' || socket.listenerCount('error') > 0) return emit(name, ...rest)
        errors.push(rest[0])
        return true
      }
    })
    const client = await test.connect()
    client.write(request('/held') + second)
    await expect.poll(() => test.using.now).toBe(1)
    client.socket.resetAndDestroy()
    await expect.poll(open).toBe(0)
    expect(errors).toEqual([])
  })
})

describe('unauthenticated requests', () => {
  it('[HST-35] are handled a few per address at a time; callers and other addresses go first', async () => {
    const answer: TestGatewayOptions['answer'] = ({ url, headers }) => {
      if (url === '/held') return undefined
      return headers.authorization ? { headers: { 'x-storey-signed-in': '1' } } : {}
    }
    test = await startTestGateway({ answer })
    const [caller] = await several(1)
    caller!.write(request('/hello', 'Authorization: Bearer good\r\n'))
    await caller!.until((text) => text.includes('/hello'))
    const unauthenticated = await several(40)
    for (const client of unauthenticated) client.write(request('/held'))
    await expect.poll(() => test.stack.seen.length, { interval: 5 }).toBeGreaterThan(16)
    expect(test.stack.seen.length).toBe(17)
    caller!.write(request('/ahead', 'Authorization: Bearer good\r\n'))
    expect(await caller!.until((text) => text.includes('/ahead'))).toContain('200 OK')
    const [newcomer, other] = [await test.connect(), await test.connect('127.0.0.2')]
    newcomer.write(request('/new', 'Authorization: Bearer good\r\n'))
    expect(await newcomer.until((text) => text.includes('/new'))).toContain('200 OK')
    expect(await ask(other, '/other')).toContain('200 OK')
    // Held requests free their slots after a while, so all 40 of them reach the stack.
    await expect.poll(() => test.stack.seen.filter(({ url }) => url === '/held').length).toBe(40)
    const order = test.stack.seen.map(({ url }) => url)
    expect(order.slice(order.indexOf('/new'))).toContain('/held')
  })
  it('[HST-35] wait even if a proxy sends them on a connection that callers use: requests of callers go first', async () => {
    const answer: TestGatewayOptions['answer'] = ({ url, headers }) => {
      if (url === '/held') return undefined
      return headers.authorization ? { headers: { 'x-storey-signed-in': '1' } } : {}
    }
    test = await startTestGateway({ answer, trustedProxies: ['127.0.0.1'] })
    const as = (address: string, lines = '') => `X-Forwarded-For: ${address}\r\n${lines}`
    const good = as('198.51.100.1', 'Authorization: Bearer good\r\n')
    const held = () =>
      test.stack.seen.filter(({ url }) => url === '/held').map(({ headers }) => headers['x-forwarded-for'])
    const clients = await several(60)
    for (const client of clients.slice(0, 30)) {
      client.write(request('/hello', good))
      await client.until((text) => text.includes('/hello'))
    }
    for (const client of clients.slice(30)) client.write(request('/held', good))
    for (const client of clients.slice(0, 30)) client.write(request('/held', as('198.51.100.2')))
    await expect.poll(() => held().length).toBe(60)
    const first = held().slice(0, 46)
    expect(first.filter((address) => address === '198.51.100.1')).toHaveLength(30)
  })
})
