import { afterEach, expect, it, vi } from 'vitest'
import { authorizedFetch } from './authorize.ts'

const ORIGIN = 'http://tower.localhost:4000'
const session = { token: async () => 'of-the-session' }

afterEach(() => vi.unstubAllGlobals())

/** The Authorization header with which a request is sent. */
async function sent(path: string, authorization?: string, isSignedIn = true) {
  let header: string | null = null
  vi.stubGlobal('fetch', async (request: Request) => {
    header = request.headers.get('authorization')
    return new Response()
  })
  const headers = authorization === undefined ? {} : { authorization }
  await authorizedFetch(isSignedIn ? session : undefined, ORIGIN)(new URL(path, ORIGIN), { headers })
  return header
}

it('sends the token of the session if the visitor has entered none', async () => {
  for (const entered of [undefined, 'Bearer', 'Bearer ', 'Bearer YOUR_SECRET_TOKEN']) {
    expect(await sent('/api/v1/buildings', entered)).toBe('Bearer of-the-session')
  }
})

it('sends the visitor’s token, and not that of the session, if the visitor has entered one', async () => {
  expect(await sent('/api/v1/buildings', 'Bearer svc_key')).toBe('Bearer svc_key')
})

it('sends a request for another address of the same API to the origin of the page', async () => {
  const sentTo: [string, string | null, string][] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    sentTo.push([request.url, request.headers.get('authorization'), await request.text()])
    return new Response()
  })
  const servers = [{ url: `${ORIGIN}/` }, { url: 'http://localhost:4000/s/tower' }]
  const ask = authorizedFetch(session, ORIGIN, servers)
  await ask('http://localhost:4000/s/tower/api/v1/buildings?limit=1')
  await ask('http://localhost:4000/s/tower/api/v1/webhooks', { method: 'POST', body: '{}' })
  await ask('http://localhost:4000/s/tower-two/api/v1/buildings')
  expect(sentTo).toEqual([
    [`${ORIGIN}/api/v1/buildings?limit=1`, 'Bearer of-the-session', ''],
    [`${ORIGIN}/api/v1/webhooks`, 'Bearer of-the-session', '{}'],
    ['http://localhost:4000/s/tower-two/api/v1/buildings', null, ''],
  ])
})

it('sends no token without a session, and no token to another server', async () => {
  expect(await sent('/api/v1/buildings', 'Bearer YOUR_SECRET_TOKEN', false)).toBeNull()
  expect(await sent('http://elsewhere.example/api')).toBeNull()
  expect(await sent('http://other.localhost:4000/api')).toBeNull()
})
