import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createClientAddresses, parseRange } from '@storey/kit/client-address'
import { movableClock } from '@storey/kit/clock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limitRealms } from './limit-realms.ts'

describe('realms', () => {
  const clock = movableClock()
  let direct: Awaited<ReturnType<typeof serve>>
  let proxied: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    direct = await serve('192.0.2.1')
    proxied = await serve('127.0.0.0/8')
  })
  afterAll(() => {
    for (const { server } of [direct, proxied]) server.close()
  })

  async function serve(trusted: string): Promise<{ server: Server; url: string }> {
    const handle = (_request: IncomingMessage, response: ServerResponse) => {
      response.end('realm')
      return true
    }
    const clientAddresses = createClientAddresses([parseRange(trusted)!])
    const answer = limitRealms(handle, { perMinute: 3, clock, clientAddresses })
    const server = createServer((request, response) => void answer(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { server, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` }
  }

  it('[RAT-07] limit started sign-ins per address, and always publish their keys', async () => {
    const { url } = direct
    const headers = { 'x-forwarded-for': '6.6.6.6' }
    const statuses = []
    for (let i = 0; i < 5; i++) statuses.push((await fetch(`${url}/realms/developers/auth?x=${i}`, { headers })).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const refused = await fetch(`${url}/realms/developers/device/auth`, { method: 'POST', body: 'x' })
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

  it('[RAT-11] count a request like a sign-in if it stores a row, and limit a path that only resembles that of a published document', async () => {
    clock.advance(61_000)
    const statusOf = async (path: string) => (await fetch(`${direct.url}/realms/developers/${path}`)).status
    for (const path of ['auth', 'device', 'logout']) expect(await statusOf(path)).toBe(200)
    for (const path of ['auth', 'device', 'device/auth', 'logout']) expect(await statusOf(path)).toBe(429)
    const statuses = await Promise.all(Array.from({ length: 32 }, () => statusOf('auth/jwks')))
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
    clock.advance(61_000)
  })

  it('[RAT-11] allow ten times as many token renewals as sign-ins, even if clients at the same address start too many sign-ins', async () => {
    clock.advance(61_000)
    const { url } = direct
    for (let i = 0; i < 4; i++) await fetch(`${url}/realms/developers/auth`)
    const statuses = []
    for (let i = 0; i < 32; i++) {
      statuses.push((await fetch(`${url}/realms/developers/token`, { method: 'POST', body: 'x' })).status)
    }
    expect(statuses).toEqual([...Array(30).fill(200), 429, 429])
    clock.advance(61_000)
  })

  it.each([
    ['en-GB,en', 'Too many sign-ins'],
    ['ru-RU,ru', 'Слишком много попыток входа'],
  ])('[RAT-11] answer a browser above the limit with a page that loads again (%s)', async (language, title) => {
    const headers = { accept: 'text/html,*/*', 'accept-language': language }
    const ask = () => fetch(`${direct.url}/realms/developers/auth`, { headers })
    for (let i = 0; i < 3; i++) await ask()
    const refused = await ask()
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    const seconds = refused.headers.get('retry-after')
    const text = await refused.text()
    expect(text).toContain(`<h1>${title}</h1>`)
    expect(text).toContain(`http-equiv="refresh" content="${seconds}"`)
    clock.advance(61_000)
  })

  it('[RAT-07, RAT-08] count each client behind a trusted proxy separately, and an IPv6 /64 network as one', async () => {
    const passed = async (clients: string[]) => {
      const answers = clients.map((client) =>
        fetch(`${proxied.url}/realms/developers/auth`, { headers: { 'x-forwarded-for': client } }),
      )
      return (await Promise.all(answers)).filter(({ ok }) => ok).length
    }
    expect(await passed(Array(5).fill('198.51.100.1'))).toBe(3)
    expect(await passed(Array(5).fill('198.51.100.2'))).toBe(3)
    expect(await passed([1, 2, 3, 4, 5].map((n) => `2001:db8::${n}`))).toBe(3)
    expect(await passed([1, 2, 3, 4, 5].map((n) => `2001:db8:0:${n}::1`))).toBe(5)
    expect(await passed([1, 2, 3, 4, 5].map((n) => `6.6.6.${n}, 198.51.100.3`))).toBe(3)
  })
})
