import { bearer, createProvisioningClient } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { consoleAddress } from './console-address.ts'

const record = {
  sandboxId: 'sbx_1',
  slug: 'mall-abcde',
  status: 'ready',
  consoleUrl: 'http://mall-abcde.localhost:4000',
}
const LINK = 'http://localhost:4000/realms/sandboxes/owner-session/abc'

/** The address for a reference, and the calls that were sent. */
async function opened(reference: string, path: string | undefined, isExternal = false) {
  const calls: string[] = []
  const answer = (method: string, { pathname, search }: URL): [number, unknown] => {
    calls.push(`${method} ${pathname}${pathname.endsWith('console-session') ? search : ''}`)
    if (pathname.endsWith('/sandboxes')) return [200, { data: [record], total: 1, limit: 50, offset: 0 }]
    const problem = { type: 'about:blank', title: 'No', detail: 'No', requestId: 'r' }
    if (!pathname.includes('/sbx_1')) return [404, { ...problem, status: 404, code: 'NOT_FOUND' }]
    if (!pathname.endsWith('console-session')) return [200, record]
    if (isExternal) return [409, { ...problem, status: 409, code: 'CONFLICT' }]
    return [201, { url: LINK, expiresAt: '2026-01-01T00:01:00.000Z' }]
  }
  const api = createProvisioningClient({
    url: 'http://localhost:4000',
    credential: bearer('token'),
    fetch: async (url, init) => {
      const [status, body] = answer(init?.method ?? 'GET', new URL(String(url)))
      return Response.json(body, { status })
    },
  })
  const address = await consoleAddress(api, reference, { path, signal: new AbortController().signal })
  return { address, calls }
}

describe('the address of a console', () => {
  it('[PRT-09] is a link that signs the owner in, for an id or a slug and an optional path', async () => {
    expect(await opened('sbx_1', undefined)).toEqual({
      address: LINK,
      calls: ['POST /api/v1/sandboxes/sbx_1/console-session'],
    })
    expect(await opened('mall-abcde', '/sandbox/board')).toEqual({
      address: LINK,
      calls: ['GET /api/v1/sandboxes', 'POST /api/v1/sandboxes/sbx_1/console-session?path=%2Fsandbox%2Fboard'],
    })
    await expect(opened('nobody', undefined)).rejects.toMatchObject({ status: 404 })
  })

  it('[PRT-09] is the console itself if an external identity provider signs users in', async () => {
    expect((await opened('sbx_1', '/sandbox/board', true)).address).toBe(`${record.consoleUrl}/sandbox/board`)
    expect((await opened('sbx_1', '//elsewhere.example', true)).address).toBe(record.consoleUrl)
  })
})
