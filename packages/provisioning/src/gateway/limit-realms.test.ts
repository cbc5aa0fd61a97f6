import { createServer, type Server } from 'node:http'
import { movableClock } from '@storey/kit/clock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limitRealms } from './limit-realms.ts'

describe('realms', () => {
  const clock = movableClock()
  let server: Server
  let url: string
  beforeAll(async () => {
    const answer = limitRealms(
      (_request, response) => {
        response.end('realm')
        return true
      },
      3,
      clock,
    )
    server = createServer((request, response) => void answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  })
  afterAll(() => server.close())

  it('[RAT-07] answer so many that begin something from an address, and publish their keys to all', async () => {
    const headers = { 'x-forwarded-for': '6.6.6.6' }
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await fetch(`${url}/realms/developers/auth?x=${i}`, { headers })).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const refused = await fetch(`${url}/realms/developers/token`, { method: 'POST', body: 'x' })
    expect(await refused.json()).toMatchObject({
      status: 429,
      code: 'RATE_LIMITED',
      requestId: refused.headers.get('x-request-id'),
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    for (const path of ['jwks', '.well-known/openid-configuration']) {
      expect((await fetch(`${url}/realms/sandboxes/${path}`)).status).toBe(200)
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    clock.advance(61_000)
    expect((await fetch(`${url}/realms/developers/auth`)).status).toBe(200)
  })
})
