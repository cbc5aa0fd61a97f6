import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts'

const ALLOWED = 'https://app.example.com'
let development: TestGateway
let production: TestGateway
let starts = 0

beforeAll(async () => {
  const answer = () => ({ headers: { vary: 'Accept-Encoding', 'set-cookie': 'a=b', location: '/api/v1/things/1' } })
  const wake = async () => void starts++
  development = await startTestGateway({ answer, wake, goneSlug: 'gone' })
  production = await startTestGateway({ answer, allowLoopback: false, hasPathAddresses: false })
})
afterAll(() => Promise.all([development.close(), production.close()]))

interface Asked {
  at?: TestGateway
  host?: string
  path?: string
  method?: string
  headers?: Record<string, string>
}

function ask({ at = development, host = 'a.localhost', path = '/api/v1/things', method = 'GET', headers = {} }: Asked) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: at.port, path, method, headers: { host, ...headers } },
      (answer) => {
        let body = ''
        answer.setEncoding('utf8').on('data', (chunk) => {
          body += chunk
        })
        answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body }))
      },
    )
    sent.on('error', reject).end()
  })
}

const preflight = (origin: string, at = development) =>
  ask({ at, method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'PATCH' } })

describe('a page of another origin', () => {
  it.each([ALLOWED, 'http://localhost:5173', 'http://127.0.0.1:6001', 'http://[::1]:8080'])(
    '[HST-46] may call the API of a sandbox from %s if the gateway runs in development, and its preflight wakes no stack',
    async (origin) => {
      const before = starts
      const { status, headers } = await preflight(origin)
      expect(starts).toBe(before)
      expect(status).toBe(204)
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': expect.stringContaining('PATCH'),
        'access-control-allow-headers': expect.stringContaining('Authorization'),
      })
      const read = await ask({ headers: { origin } })
      expect(read.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': expect.stringMatching(/ETag.* RateLimit, RateLimit-Policy,/),
        vary: 'Origin, Accept-Encoding',
      })
      for (const { headers } of [read, await preflight(origin)])
        expect(headers).not.toHaveProperty('access-control-allow-credentials')
    },
  )

  it.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://localhost:5173/x',
    'http://a.localhost:1',
  ])('[HST-46] may not read the responses of a sandbox from %s', async (origin) => {
    const { status, headers } = await preflight(origin)
    expect(status).toBe(204)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    expect((await ask({ headers: { origin } })).headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('[HST-46] must have an origin in CORS_ORIGINS in production, even if it is on this machine', async () => {
    expect((await preflight(ALLOWED, production)).headers).toHaveProperty('access-control-allow-origin', ALLOWED)
    const { headers } = await preflight('http://localhost:5173', production)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('[HST-46] may read the problem for an unknown sandbox', async () => {
    const { status, headers } = await ask({ host: 'gone.localhost', headers: { origin: ALLOWED } })
    expect([status, headers['access-control-allow-origin']]).toEqual([404, ALLOWED])
  })

  it('[HST-46] has no access to the API of the control plane', async () => {
    const { headers } = await ask({ host: 'localhost', headers: { origin: ALLOWED } })
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('a path address', () => {
  it('[HST-47] reaches the same API as the sandbox host, without cookies of the control plane', async () => {
    const headers = { cookie: 'session=1', authorization: 'Bearer t' }
    const answer = await ask({ host: 'localhost', path: '/s/a/api/v1/things?limit=1', headers })
    const seen = development.stack.seen.at(-1)!
    expect([seen.url, seen.headers.host, seen.headers.authorization]).toEqual([
      '/api/v1/things?limit=1',
      'a.localhost:4000',
      'Bearer t',
    ])
    expect(seen.headers).not.toHaveProperty('cookie')
    expect(answer.headers).toMatchObject({
      location: '/s/a/api/v1/things/1',
      'content-security-policy': expect.stringContaining('sandbox'),
    })
    expect(answer.headers).not.toHaveProperty('set-cookie')
  })

  it.each(['/s/a/', '/s/a', '/s/a/docs', '/s/a/sandbox/x', '/s//api/v1', '/s/A/api/v1', '/s/a/../api/v1', '/s/a/apix'])(
    '[HST-47] serves no pages: %s belongs to the control plane',
    async (path) => {
      expect((await ask({ host: 'localhost', path })).body).toBe('control plane')
    },
  )

  it('[HST-47] serves the API only at the host of the control plane, and only if path addresses are on', async () => {
    await ask({ host: 'a.localhost', path: '/s/b/api/v1/things' })
    expect(development.stack.seen.at(-1)!.url).toBe('/s/b/api/v1/things')
    expect((await ask({ at: production, host: 'localhost', path: '/s/a/api/v1/things' })).body).toBe('control plane')
  })

  it('[HST-47] of an unknown sandbox responds with 404', async () => {
    const { status, body } = await ask({ host: 'localhost', path: '/s/gone/api/v1/things' })
    expect([status, JSON.parse(body).detail]).toEqual([404, 'No such sandbox'])
  })
})

describe('a browser at a wrong address', () => {
  const page = { accept: 'text/html,application/xhtml+xml' }

  it.each(['127.0.0.1:4000', 'laptop:4000', 'LAPTOP'])(
    '[HST-48] is sent from %s to the public address',
    async (host) => {
      const { status, headers } = await ask({ host, path: '/sandboxes?x=1', headers: page })
      expect([status, headers.location]).toEqual([307, 'http://localhost:4000/sandboxes?x=1'])
    },
  )

  it.each(['//evil.example/x', '/\\evil.example', '//[', '//%'])(
    '[HST-48] is not redirected to another site by the path %s',
    async (path) => {
      const { status, headers } = await ask({ host: '127.0.0.1:4000', path, headers: page })
      expect(status).toBe(307)
      expect(new URL(String(headers.location)).origin).toBe('http://localhost:4000')
    },
  )

  it('[HST-48] gets a page in the language of the browser for an unknown sandbox, and a program gets a problem', async () => {
    const english = await ask({ host: 'gone.localhost', path: '/', headers: page })
    expect([english.status, english.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(english.body).toContain('No such sandbox')
    expect(english.body).toContain('href="http://localhost:4000"')
    const russian = await ask({ host: 'gone.localhost', path: '/', headers: { ...page, 'accept-language': 'ru' } })
    expect(russian.body).toContain('Такой песочницы нет')
    expect((await ask({ host: 'evil.example', path: '/', headers: page })).body).toContain('Page not found')
    const program = await ask({ host: 'gone.localhost' })
    expect([program.status, JSON.parse(program.body).detail]).toEqual([404, 'No such sandbox'])
    expect(JSON.parse((await ask({ host: 'evil.example' })).body).detail).toBe('No such host')
    // The page is a card with the colours of the sign-in pages, in both themes.
    expect(english.body).toMatch(/prefers-color-scheme:dark.*<main>.*<h1>No such sandbox/s)
  })

  it('[HST-48] is redirected only if it requests a page', async () => {
    expect((await ask({ host: '127.0.0.1:4000', path: '/api/v1/sandboxes' })).body).toBe('control plane')
  })
})
