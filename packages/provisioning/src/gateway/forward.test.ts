import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../testing/test-gateway.ts'

let test: TestGateway
afterEach(() => test.close())

const HOST = 'Host: a.localhost\r\n'
const get = (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}X-Marker: ${path}\r\n\r\n`

/** Sends bytes. Returns what was received until the request for `/last` was answered or the connection ended. */
async function send(bytes: string, options: TestGatewayOptions = {}) {
  test = await startTestGateway(options)
  const client = await test.connect()
  client.write(bytes)
  const text = await client.until((received) => received.includes('/last'))
  return { text, client, seen: test.stack.seen }
}
const targets = () => test.stack.seen.map(({ method, url }) => `${method} ${url}`)

describe('a request', () => {
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a.localhost\r\n\r\n'
  const chunked = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'POST', 'PUT', 'PATCH', 'PROPFIND'])(
    '[HST-29] with a body and the method %s reaches its stack as one request, however the body is framed',
    async (method) => {
      const named = 'Connection: content-length, transfer-encoding, host, keep-alive\r\n'
      const head = `${method} /first HTTP/1.1\r\n${named}${HOST}X-Marker: /first\r\n`
      const bytes = [
        `${head}Transfer-Encoding: chunked\r\n\r\n${chunked}`,
        `${head}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
      ]
      const { seen } = await send(`${bytes[0]}${bytes[1]}${get('/last')}`)
      expect(targets()).toEqual([`${method} /first`, `${method} /first`, 'GET /last'])
      expect(seen.map(({ body }) => body)).toEqual([smuggled, smuggled, ''])
      expect(seen[0]!.headers).toMatchObject({ 'transfer-encoding': 'chunked', host: 'a.localhost' })
      expect(seen[1]!.headers).toMatchObject({ 'content-length': String(smuggled.length), host: 'a.localhost' })
      expect(test.stack.refused).toEqual([])
    },
  )

  it('[HST-29] reaches its stack with its credential and the gateway’s headers, whatever its client lists in Connection', async () => {
    const named = 'authorization, cookie, x-forwarded-for, x-request-id, x-own, content-type'
    const { seen } = await send(
      `GET /last HTTP/1.1\r\n${HOST}Connection: ${named}\r\nAuthorization: Bearer t\r\nCookie: a=b\r\nX-Marker: /last\r\n` +
        'X-Forwarded-For: 6.6.6.6\r\nX-Storey-Internal-Key: k\r\nX-Storey-Signed-In: 1\r\nTE: trailers\r\nFoo: x\r\n' +
        'X-Storey-Arrived-At: 1772438400000\r\n\r\n',
    )
    expect(seen[0]!.headers).toMatchObject({ authorization: 'Bearer t', cookie: 'a=b', 'x-forwarded-for': '127.0.0.1' })
    for (const name of ['x-storey-internal-key', 'x-storey-arrived-at', 'x-storey-signed-in', 'te'])
      expect(seen[0]!.headers[name]).toBeUndefined()
  })

  it('is forwarded without its trailers', async () => {
    const { seen } = await send(
      `POST /first HTTP/1.1\r\n${HOST}X-Marker: /first\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n` +
        `1;ext="a"\r\nx\r\n0\r\nX-T: y\r\nAuthorization: Bearer z\r\n\r\n${get('/last')}`,
    )
    expect(seen.map(({ body, trailers }) => [body, trailers])).toEqual([
      ['x', []],
      ['', []],
    ])
    expect(seen[0]!.headers.authorization).toBeUndefined()
  })

  it('gets 100 Continue if its stack accepts the body', async () => {
    test = await startTestGateway()
    const client = await test.connect()
    client.write(`PUT /last HTTP/1.1\r\n${HOST}X-Marker: /last\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`)
    expect(await client.until((text) => text.endsWith('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    client.write('ab')
    expect(await client.until((text) => text.includes('/last'))).toContain('HTTP/1.1 200')
    expect([test.stack.seen[0]!.body, test.stack.seen[0]!.headers.expect]).toEqual(['ab', '100-continue'])
  })

  it('[HST-40] gets no 100 Continue if its stack refuses the head, and its connection is closed', async () => {
    test = await startTestGateway({ answer: () => ({ early: true, status: 401, body: 'who?' }) })
    const client = await test.connect()
    client.write(`PUT / HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 20000\r\n\r\n`)
    await client.closed
    expect(client.received()).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close[\s\S]*who\?/i)
    expect(client.received()).not.toContain('100 Continue')
    expect(test.stack.seen.map(({ body }) => body)).toEqual([''])
  })

  it('gets no 100 Continue if it announces no body', async () => {
    const { text } = await send(
      `GET /first HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nX-Marker: /first\r\n\r\n${get('/last')}`,
    )
    expect(text).not.toContain('100 Continue')
    expect(targets()).toEqual(['GET /first', 'GET /last'])
  })

  it('gets no 100 Continue if the gateway refuses it, and its connection is closed', async () => {
    test = await startTestGateway()
    const client = await test.connect()
    client.write(`PUT / HTTP/1.1\r\nHost: elsewhere\r\nExpect: 100-continue\r\nContent-Length: 20000\r\n\r\n`)
    await client.closed
    expect(client.received()).toMatch(/^HTTP\/1\.1 404 /)
  })
})

describe('an ambiguous head', () => {
  const post = (lines: string, body = 'x') => `POST /bad HTTP/1.1\r\n${HOST}${lines}\r\n\r\n${body}`
  const zero = '0\r\n\r\n'
  it.each<[string, string]>([
    ['both framings', post('Content-Length: 5\r\nTransfer-Encoding: chunked', zero)],
    ['both framings, the other way round', post('Transfer-Encoding: chunked\r\nContent-Length: 5', zero)],
    ['two equal lengths', post('Content-Length: 1\r\nContent-Length: 1')],
    ['two lengths in one', post('Content-Length: 1, 1')],
    ['a length with a sign', post('Content-Length: +1')],
    ['a length in hex', post('Content-Length: 0x1')],
    ['an empty length', post('Content-Length: ')],
    ['a length beyond 64 bits', post('Content-Length: 18446744073709551617')],
    ['a length beyond safe integers', post('Content-Length: 9007199254740993')],
    ['a further encoding', post('Transfer-Encoding: gzip, chunked', zero)],
    ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', zero)],
    ['the encoding identity', post('Transfer-Encoding: identity')],
    ['an unknown encoding', post('Transfer-Encoding: xchunked', zero)],
    ['an encoding with a tab', post('Transfer-Encoding: \tchunked, identity', zero)],
    ['chunked in HTTP/1.0', post('Transfer-Encoding: chunked', zero).replace('1.1', '1.0')],
    ['a folded line', post('X-A: b\r\n c\r\nContent-Length: 1')],
    ['a space before the colon', post('Content-Length : 1')],
    ['a bare line feed', post('X-A: b\nContent-Length: 1')],
    ['a bare carriage return', post('X-A: b\rContent-Length: 1')],
    ['a NUL', post('X-A: b\0c\r\nContent-Length: 1')],
    ['a header without a name', post(': b\r\nContent-Length: 1')],
    ['another version', 'GET /bad HTTP/2.0\r\nHost: a.localhost\r\n\r\n'],
    ['no version', 'GET /bad\r\n\r\n'],
    ['a fragment', get('/bad#x')],
    ['a space in the target', get('/bad x')],
    ['a byte beyond ASCII in the target', get('/bad\xe4')],
    ['a star as the target', get('*')],
    ['an authority as the target', get('a.localhost:80')],
    ['another scheme', get('ftp://a.localhost/bad')],
    ['a user in the target', get('http://u:p@a.localhost/bad')],
    ['CONNECT', 'CONNECT a.localhost:80 HTTP/1.1\r\nHost: a.localhost\r\n\r\n'],
    ['two hosts', `GET /bad HTTP/1.1\r\n${HOST}${HOST}\r\n`],
    ['no host', 'GET /bad HTTP/1.1\r\n\r\n'],
    ['201 headers', `GET /bad HTTP/1.1\r\n${HOST}${'a: b\r\n'.repeat(200)}\r\n`],
    [
      'framing behind 2,100 headers',
      `GET /bad HTTP/1.1\r\n${HOST}${'a:\r\n'.repeat(2_100)}Transfer-Encoding: chunked\r\n\r\n${zero}`,
    ],
    [
      'an upgrade with a body',
      `GET /socket.io/ HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\nx`,
    ],
    ['an upgrade by POST', `POST /socket.io/ HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
  ])('[HST-30] is refused, and its connection is closed: %s', async (_, bytes) => {
    const { text, client, seen } = await send(`${get('/before')}${bytes}${get('/last')}`)
    await client.closed
    expect(seen.map(({ url }) => url)).toEqual(['/before'])
    expect([...client.received().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '200',
      expect.stringMatching(/^(400|431)$/),
    ])
    expect(text).not.toContain('/last')
  })

  it('does not cut off the response to the request before it', async () => {
    const slow = { wake: () => new Promise<void>((resolve) => setTimeout(resolve, 300)) }
    const { client } = await send(`${get('/before')}NONSENSE\r\n\r\n`, slow)
    await client.closed
    expect(client.received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\/before\r\n0\r\n\r\nHTTP\/1\.1 400 /)
  })
})

describe('OPTIONS *', () => {
  it('[HST-41] lists the methods, and reaches no stack', async () => {
    const { text } = await send(`OPTIONS * HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nab${get('/last')}`)
    expect(text).toMatch(/^HTTP\/1\.1 204 [\s\S]*allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n/i)
    expect(targets()).toEqual(['GET /last'])
  })
})

describe('a response', () => {
  it('is framed by the gateway, without hop-by-hop headers of the stack’s connection', async () => {
    const headers = {
      connection: 'keep-alive, x-hop, foo',
      'keep-alive': 'timeout=9',
      foo: 'x',
      'x-storey-signed-in': '1',
    }
    const { text } = await send(get('/last'), { answer: () => ({ headers }) })
    expect(text).toMatch(/^transfer-encoding: chunked$/im)
    expect(text).not.toMatch(/^(foo|x-storey-signed-in): /im)
    expect(text).not.toContain('timeout=9')
  })

  it.each([
    ['HEAD', 200, 'content-length: 5'],
    ['GET', 204, ''],
    ['GET', 304, ''],
  ])('to %s with %i has no body, and the next response follows it', async (method, status, line) => {
    const { text } = await send(`${method} /x HTTP/1.1\r\n${HOST}\r\n${get('/last')}`, {
      answer: ({ url }) => (url === '/x' ? { status, headers: { 'content-length': '5' }, body: 'abcde' } : {}),
    })
    const [first, second] = text.split('\r\n\r\n')
    expect(first).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(/content-length: \d+/.exec(first!)?.[0] ?? '').toBe(line)
    expect(second).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a response that started before the request was complete', () => {
  it('is sent as soon as the stack has the head, even if the client sends none of the announced body', async () => {
    test = await startTestGateway({ answer: () => ({ early: true, status: 413, body: 'too much' }) })
    const client = await test.connect()
    client.write(`POST /first HTTP/1.1\r\n${HOST}Content-Length: 99999999\r\n\r\n`)
    expect(await client.until((received) => received.includes('too much'), 10_000)).toContain('413')
  })

  it('is complete even if the rest of the request is never sent', async () => {
    test = await startTestGateway({ answer: () => ({ early: true, status: 413, body: 'too much' }) })
    const client = await test.connect()
    client.write(`POST / HTTP/1.1\r\n${HOST}Content-Length: 100\r\n\r\na`)
    await client.closed
    expect(client.received()).toMatch(/^HTTP\/1\.1 413 [\s\S]*\r\n8\r\ntoo much\r\n0\r\n\r\n$/)
  })

  it('is not cut off by the response timeout after the rest of the request was sent', async () => {
    const responseTimeoutMs = 200
    test = await startTestGateway({
      responseTimeoutMs,
      answer: (_seen, { socket }) => {
        setTimeout(() => socket.write('/last'), responseTimeoutMs * 4)
        return { early: true, raw: 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst' }
      },
    })
    const client = await test.connect()
    client.write(`POST / HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\na`)
    await client.until((text) => text.endsWith('first'))
    client.write('b')
    expect(await client.until((text) => text.endsWith('/last'))).toContain('first/last')
  })
})

describe('a connection to a stack', () => {
  const body = 'x'.repeat(100)
  it('[HST-31] serves only one client', async () => {
    test = await startTestGateway()
    const clients = [await test.connect(), await test.connect()]
    for (let i = 0; i < 3; i++) {
      for (const [n, client] of clients.entries()) {
        client.write(get(`/${n}-${i}`))
        await client.until((text) => text.includes(`/${n}-${i}`))
      }
    }
    const ports = [0, 1].map(
      (n) => new Set(test.stack.seen.filter(({ url }) => url.startsWith(`/${n}`)).map(({ from }) => from)),
    )
    expect(ports.map(({ size }) => size)).toEqual([1, 1])
    expect([...ports[0]!]).not.toEqual([...ports[1]!])
  })

  it.each<[string, NonNullable<TestGatewayOptions['answer']>]>([
    ['was answered early', ({ url }) => (url === '/first' ? { early: true } : {})],
    [
      'got more than one response',
      ({ url }) =>
        url === '/first' ? { raw: 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n/firstHTTP/1.1 200 OK\r\n\r\n' } : {},
    ],
  ])('[HST-31] is not reused when its request %s', async (_, answer) => {
    test = await startTestGateway({ answer })
    const client = await test.connect()
    client.write(`POST /first HTTP/1.1\r\n${HOST}X-Marker: /first\r\nContent-Length: 100\r\n\r\n${body.slice(1)}`)
    if (answer({ method: '', url: '/first', headers: {} }, undefined as never)?.early) {
      await client.until((text) => text.includes('/first'))
    }
    client.write(`x${get('/last')}`)
    expect(await client.until((text) => text.includes('/last'))).toContain('/last')
    const [first, last] = test.stack.seen
    expect(last!.from).not.toBe(first!.from)
  })
})

describe('a client', () => {
  it('that disconnects does not keep a waking stack awake', async () => {
    let wake = () => {}
    test = await startTestGateway({ wake: () => new Promise((resolve) => (wake = resolve)) })
    const client = await test.connect()
    client.write(get('/left'))
    await expect.poll(() => test.using.now).toBe(1)
    client.socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 50))
    wake()
    await expect.poll(() => test.using.now).toBe(0)
    expect(test.stack.seen).toEqual([])
  })

  it('that disconnects during an upgrade does not keep a waking stack awake', async () => {
    let wake = () => {}
    test = await startTestGateway({ wake: () => new Promise((resolve) => (wake = resolve)) })
    const client = await test.connect()
    client.write(`GET /socket.io/?EIO=4 HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    await expect.poll(() => test.using.now).toBe(1)
    client.socket.resetAndDestroy()
    wake()
    await expect.poll(() => test.using.now).toBe(0)
  })

  it('that pipelines many requests has only one in progress at a time, and none after it disconnects', async () => {
    test = await startTestGateway({ answer: () => undefined })
    const client = await test.connect()
    client.write(Array.from({ length: 40 }, (_, i) => get(`/${i}`)).join(''))
    await expect.poll(() => test.stack.seen.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([test.stack.seen.length, test.using.most]).toEqual([1, 1])
    client.socket.destroy()
    await expect.poll(() => test.using.now).toBe(0)
  })

  it('that pipelines many requests gets its responses in order', async () => {
    test = await startTestGateway()
    const client = await test.connect()
    client.write(Array.from({ length: 300 }, (_, i) => get(`/n${i}.`)).join('') + get('/last'))
    const text = await client.until((received) => received.includes('/last'), 15_000)
    expect([...text.matchAll(/\r\n\/n(\d+)\./g)].map(([, n]) => Number(n))).toEqual(
      Array.from({ length: 300 }, (_, i) => i),
    )
  })
})

describe('a write', () => {
  const body = 'Content-Length: 2\r\n\r\n{}'
  const problemIn = (text: string) => JSON.parse(text.slice(text.indexOf('\r\n\r\n')))
  const write = `POST /write HTTP/1.1\r\n${HOST}${body}`

  it('[ERR-40] whose stack ends or does not answer in time is sent once, and its outcome is unknown', async () => {
    test = await startTestGateway({
      responseTimeoutMs: 200,
      answer: (_, request) => {
        if (request.headers['x-marker'] === 'end') setTimeout(() => request.socket.destroy(), 20)
        return undefined
      },
    })
    for (const [marker, detail] of [
      ['end', 'The sandbox stopped while it handled the request'],
      ['hold', 'The sandbox did not respond and is being stopped: the next request starts it'],
    ]) {
      const client = await test.connect()
      client.write(write.replace('\r\n', `\r\nX-Marker: ${marker}\r\n`))
      const problem = problemIn(await client.until((text) => text.includes('"NOT_READY"')))
      expect(problem).toMatchObject({ status: 503, detail, outcome: 'unknown' })
    }
    expect(targets()).toEqual(['POST /write', 'POST /write'])
  })
})

describe('an upgrade', () => {
  it('[HST-32] that its stack does not answer in time is refused, and the stack is stopped', async () => {
    test = await startTestGateway({ responseTimeoutMs: 200 })
    // The server accepts the upgrade, and never responds.
    const accepted: Duplex[] = []
    test.stack.server.on('upgrade', (_request, socket) => accepted.push(socket))
    const client = await test.connect()
    client.write(`GET /socket.io/?EIO=4 HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    expect(await client.until((text) => text.includes('"NOT_READY"'))).toMatch(/^HTTP\/1\.1 503 /)
    await expect.poll(() => test.using.now).toBe(0)
    expect(test.unresponsive).toEqual(['sbx_test'])
    for (const socket of accepted) socket.destroy()
  })

  it.each([
    ['good', true],
    ['invented', false],
  ])('[STK-33] counts as use by a caller from its first moment if its token is valid: %s, %s', async (token, isUse) => {
    let wake = () => {}
    test = await startTestGateway({
      checkCredential: async (_, authorization) => authorization === 'Bearer good',
      wake: () => new Promise((resolve) => (wake = resolve)),
    })
    const client = await test.connect()
    const head = `${HOST}Authorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
    client.write(`GET /socket.io/?EIO=4 HTTP/1.1\r\n${head}`)
    await expect.poll(() => test.using.now).toBe(1)
    expect(test.using.isFromCaller(0)).toBe(isUse)
    client.socket.resetAndDestroy()
    wake()
    await expect.poll(() => test.using.now).toBe(0)
  })

  it('[HST-35] waits behind only a few upgrades of another address', async () => {
    const taken: Socket[] = []
    test = await startTestGateway({ transferConnection: async (socket) => void taken.push(socket) })
    const upgrade = `GET /socket.io/?EIO=4 HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
    const clients = await Promise.all(Array.from({ length: 40 }, () => test.connect('127.0.0.1')))
    for (const client of clients) client.write(upgrade)
    await expect.poll(() => taken.length).toBeGreaterThanOrEqual(16)
    const before = taken.length
    expect(before).toBeLessThan(40)
    const other = await test.connect('127.0.0.2')
    other.write(upgrade)
    await expect.poll(() => taken.findIndex(({ remoteAddress }) => remoteAddress === '127.0.0.2')).not.toBe(-1)
    expect(taken.findIndex(({ remoteAddress }) => remoteAddress === '127.0.0.2')).toBeLessThan(40)
    // Each connection that closes frees a slot for an upgrade that waits.
    for (let done = 0; done < 41; done++) {
      await expect.poll(() => taken.length).toBeGreaterThan(done)
      taken[done]!.destroy()
    }
  })
})
