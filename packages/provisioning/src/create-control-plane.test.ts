import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from './testing/control-plane.ts'

describe('the provisioning service', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  beforeAll(async () => {
    test = await testControlPlane({ rateLimitPerMinute: 5 })
  })
  afterAll(() => test.drop())

  it('[RAT-07] limits the requests of each developer separately', async () => {
    const [busy, other] = [await test.newKey(), await test.newKey()]
    const list = (key: string) => test.call({ key, path: '/api/v1/sandboxes' })
    for (let i = 0; i < 5; i++) expect((await list(busy)).status).toBe(200)
    const refused = await list(busy)
    expect(refused.json).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect((await list(other)).headers['ratelimit-policy']).toContain('q=5')
    test.clock.advance(61_000)
    expect((await list(busy)).status).toBe(200)
  })

  it('[RAT-07] counts requests that are refused because of the scope of their key', async () => {
    const { plaintext: key } = await test.operatorKey(await test.newOrganization(), 'publish')
    const statuses = []
    for (let i = 0; i < 6; i++) statuses.push((await test.call({ key, path: '/api/v1/sandboxes' })).status)
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429])
  })

  it('[HST-06] ignores an upgrade to another protocol and answers the request', async () => {
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
    }
    expect((await test.call({ path: '/healthz', headers })).json).toEqual({ status: 'ok' })
  })

  it('[HST-05] uses the host of a request target in absolute form, and refuses two Host headers', async () => {
    expect((await test.call({ host: 'evil.example', path: 'http://localhost:4000/healthz' })).status).toBe(200)
    expect((await test.call({ host: 'localhost', path: 'http://evil.example/healthz' })).status).toBe(404)
    const raw = await test.raw(
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    )
    expect(raw).toMatch(/^HTTP\/1\.1 400 /)
    expect(raw).toContain('"code":"VALIDATION_FAILED"')
  })

  it.each([
    ['FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'VALIDATION_FAILED'],
    [`GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'VALIDATION_FAILED'],
    ['GET / HTTP/1.0\r\n\r\n', 404, 'NOT_FOUND'],
    ['GET / HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\n\r\n', 400, 'VALIDATION_FAILED'],
    [
      'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'VALIDATION_FAILED',
    ],
  ])('[ERR-12] refuses invalid HTTP, or a missing host, with a problem: %j', async (request, status, code) => {
    const answer = await test.raw(request)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).toMatch(/content-type: application\/problem\+json/i)
    expect(answer).toContain(`"code":"${code}"`)
  })

  it('[HST-40] sends no 100 Continue if it refuses the request before it reads the body', async () => {
    const key = await test.newKey()
    const head = (path: string, length: number, further = '') =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${further}\r\n`
    const good = `Authorization: Bearer ${key}\r\n`
    for (const [text, status] of [
      [head('/api/v1/sandboxes', 2), 401],
      [head('/api/v1/nothing', 2), 404],
      [head('/api/v1/sandboxes', 99_000_000, good), 413],
    ] as const) {
      expect(await test.raw(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    }
    expect(await test.raw(`${head('/api/v1/sandboxes', 2, good)}{}`)).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 400 /,
    )
  })

  it('[SBX-30] answers 404 for a malformed sandbox id', async () => {
    const key = await test.newKey()
    for (const id of ['sbx_%00', '..%2f..', 'sbx_ä', 'x'.repeat(90)]) {
      const { status, json } = await test.call({ key, path: `/api/v1/sandboxes/${encodeURI(id)}` })
      expect([status, json.code]).toEqual([404, 'NOT_FOUND'])
    }
  })

  it('[ERR-11] refuses to delete a sandbox with an unknown query parameter, and deletes nothing', async () => {
    const key = await test.newKey()
    const path = `/api/v1/sandboxes/${(await test.create(key)).sandboxId}`
    const refused = await test.call({ key, method: 'DELETE', path: `${path}?dryRun=true` })
    expect(refused.json).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      errors: [{ pointer: '/dryRun', in: 'query', detail: 'dryRun is not a known field' }],
    })
    expect((await test.call({ key, path })).status).toBe(200)
  })
})
