/// <reference types="node" />
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claimsOf } from './claims.ts'
import { providerOf, type Tokens } from './provider.ts'
import { createSession } from './session.ts'
import type { TabStorage } from './tab-storage.ts'

const jwt = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`

describe('a session', () => {
  let server: Server
  let answer: { status: number; body: object }
  let asked: URLSearchParams[]
  let origin: string

  beforeEach(async () => {
    asked = []
    answer = {
      status: 200,
      body: { access_token: jwt({ n: 2 }), token_type: 'Bearer', refresh_token: 'second', expires_in: 600 },
    }
    server = createServer(async (request, response) => {
      asked.push(new URLSearchParams(Buffer.concat(await request.toArray()).toString()))
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => new Promise((resolve) => server.close(resolve)))

  function open(tokens: Partial<Tokens> = {}) {
    const storage: TabStorage = { refreshToken: undefined, pending: undefined, wasSignedOut: false }
    const session = createSession({
      provider: providerOf({ issuer: origin, token_endpoint: `${origin}/token` }, 'svc-portal'),
      storage,
      tokens: {
        accessToken: jwt({ sub: 'dev_1', realm_access: { roles: ['manager'] } }),
        refreshToken: 'first',
        idToken: jwt({ sub: 'dev_1', email: 'ann@example.com', name: 'Änn' }),
        expiresAt: Date.now() + 600_000,
        ...tokens,
      },
    })
    const told: (string | undefined)[] = []
    session.onToken((token) => told.push(token))
    return { session, storage, told }
  }

  it('knows who it is of, with their roles', () => {
    expect(open().session.user).toEqual({ id: 'dev_1', name: 'Änn', email: 'ann@example.com', roles: ['manager'] })
  })

  it('is not renewed while its token is good', async () => {
    const { session } = open()
    expect(claimsOf(await session.token())).toMatchObject({ sub: 'dev_1' })
    expect(asked).toEqual([])
  })

  it('is renewed before its token expires, once for all who wait, and keeps what the next renewal needs', async () => {
    const { session, storage, told } = open({ expiresAt: Date.now() + 20_000 })
    const tokens = await Promise.all([session.token(), session.credential.token(), session.token()])
    expect(tokens.map((token) => claimsOf(token).n)).toEqual([2, 2, 2])
    expect(asked.map((form) => Object.fromEntries(form))).toEqual([
      { grant_type: 'refresh_token', client_id: 'svc-portal', refresh_token: 'first' },
    ])
    expect(storage.refreshToken).toBe('second')
    expect(told).toEqual(tokens.slice(0, 1))
  })

  it('ends where the provider refuses, and leaves nothing behind', async () => {
    answer = { status: 400, body: { error: 'invalid_grant' } }
    const { session, storage, told } = open()
    expect(await session.credential.renew!()).toBe(false)
    expect(storage.refreshToken).toBeUndefined()
    expect([told, session.ending]).toEqual([[undefined], 'refused'])
    await expect(session.token()).rejects.toThrow('The session is over')
    // Those that come later hear no second time, and the provider is not asked again.
    expect(await session.credential.renew!()).toBe(false)
    expect([told.length, asked.length]).toEqual([1, 1])
  })

  it('outlives a provider that does not answer, or asks for patience', async () => {
    const { session, storage, told } = open()
    for (const status of [503, 429]) {
      answer = { status, body: { error: 'temporarily_unavailable' } }
      expect(await session.credential.renew!()).toBe(false)
      expect([storage.refreshToken, told]).toEqual(['first', []])
    }
    answer = { status: 200, body: { access_token: jwt({ n: 3 }), token_type: 'Bearer', expires_in: 600 } }
    expect(await session.credential.renew!()).toBe(true)
    expect(storage.refreshToken).toBe('first')
  })
})
