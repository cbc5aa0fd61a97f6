/// <reference types="node" />
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { claimsOf } from './claims.ts'
import { providerOf, type Tokens } from './provider.ts'
import { createSession, type Session, type UserClaims } from './session.ts'
import type { TabStorage } from './tab-storage.ts'

const jwt = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`

describe('a session', () => {
  let server: Server
  let reply: { status: number; body: object }
  let beforeReply: () => Promise<void>
  let received: URLSearchParams[]
  let origin: string

  beforeEach(async () => {
    received = []
    beforeReply = async () => {}
    reply = {
      status: 200,
      body: { access_token: jwt({ n: 2 }), token_type: 'Bearer', refresh_token: 'second', expires_in: 600 },
    }
    server = createServer(async (request, response) => {
      received.push(new URLSearchParams(Buffer.concat(await request.toArray()).toString()))
      await beforeReply()
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => new Promise((resolve) => server.close(resolve)))

  function open(tokens: Partial<Tokens> = {}, claims: UserClaims = {}) {
    const storage: TabStorage = { refreshToken: undefined, pending: undefined, wasSignedOut: false }
    const session = createSession({
      provider: providerOf(
        { issuer: origin, token_endpoint: `${origin}/token`, revocation_endpoint: `${origin}/revoke` },
        'svc-portal',
      ),
      storage,
      tokens: {
        accessToken: jwt({ sub: 'dev_1', email: 'ann@example.com', realm_access: { roles: ['manager'] } }),
        refreshToken: 'first',
        idToken: jwt({ sub: 'dev_1', email: 'ann@example.com', name: 'Änn' }),
        expiresAt: Date.now() + 600_000,
        ...tokens,
      },
      claims,
    })
    const notified: (string | undefined)[] = []
    session.onToken((token) => notified.push(token))
    return { session, storage, notified }
  }

  it('has the user and their roles', () => {
    expect(open().session.user).toEqual({
      ...{ id: 'dev_1', name: 'Änn', email: 'ann@example.com', actor: 'ann@example.com' },
      roles: ['manager'],
    })
  })

  it('has the roles of the access token, even if the ID token has others', () => {
    const idToken = jwt({ sub: 'dev_1', realm_access: { roles: ['admin'] } })
    expect(open({ idToken }).session.user.roles).toEqual(['manager'])
  })

  it('[IDN-43] has the roles of the claim that the service names', () => {
    const accessToken = jwt({ sub: 'dev_1', realm_access: { roles: ['admin'] }, ext: { roles: ['user'] } })
    expect(open({ accessToken }, { rolesClaim: 'ext.roles' }).session.user.roles).toEqual(['user'])
  })

  it.each([
    ['without email addresses', { preferred_username: 'ann', azp: 'svc-shell' }, {}, 'ann'],
    ['without names', {}, {}, 'dev_1'],
    ['with an email address under another name', { upn: 'a@b.c', email: 'x@y.z' }, { emailClaim: 'upn' }, 'a@b.c'],
    ['with a subject under another name', { oid: '4711' }, { subjectClaim: 'oid' }, '4711'],
  ])('[IDN-47] names the user as the API does, from access tokens %s', (_, claims, names: UserClaims, actor) => {
    const accessToken = jwt({ sub: 'dev_1', ...claims })
    expect(open({ accessToken }, names).session.user).toMatchObject({ email: 'ann@example.com', actor })
  })

  it('is not renewed long before its token expires', async () => {
    const { session } = open()
    expect(claimsOf(await session.token())).toMatchObject({ sub: 'dev_1' })
    expect(received).toEqual([])
  })

  it('is renewed once for all callers before its token expires, and stores the new refresh token', async () => {
    const { session, storage, notified } = open({ expiresAt: Date.now() + 20_000 })
    const tokens = await Promise.all([session.token(), session.credential.token(), session.token()])
    expect(tokens.map((token) => claimsOf(token).n)).toEqual([2, 2, 2])
    expect(received.map((form) => Object.fromEntries(form))).toEqual([
      { grant_type: 'refresh_token', client_id: 'svc-portal', refresh_token: 'first' },
    ])
    expect(storage.refreshToken).toBe('second')
    expect(notified).toEqual(tokens.slice(0, 1))
  })

  it('keeps no refresh token after a sign-out during a renewal, and revokes the new one', async () => {
    vi.stubGlobal('location', { origin, assign: () => undefined })
    const { session, storage } = open()
    let respond = () => {}
    beforeReply = () => new Promise((resolve) => (respond = resolve))
    const renewed = session.credential.renew!()
    await expect.poll(() => received.length).toBe(1)
    const signedOut = session.signOut()
    beforeReply = async () => {}
    respond()
    await Promise.all([renewed, signedOut])
    expect(storage).toMatchObject({ refreshToken: undefined, wasSignedOut: true })
    expect(received[1]?.get('token')).toBe('second')
    vi.unstubAllGlobals()
  })

  it('ends when the provider refuses a renewal, and deletes the refresh token', async () => {
    reply = { status: 400, body: { error: 'invalid_grant' } }
    const { session, storage, notified } = open()
    expect(await session.credential.renew!()).toBe(false)
    expect(storage.refreshToken).toBeUndefined()
    expect([notified, session.endReason]).toEqual([[undefined], 'refused'])
    // Because of the status, a live channel ends and does not ask for a token again.
    await expect(session.token()).rejects.toMatchObject({ name: 'StoreyError', status: 401 })
    // A later renewal neither notifies again nor calls the provider.
    expect(await session.credential.renew!()).toBe(false)
    expect([notified.length, received.length]).toEqual([1, 1])
  })

  describe('that ends with a sign-out in another tab', () => {
    async function signOutElsewhere(session: Session) {
      const otherTab = new BroadcastChannel('storey.session.svc-portal')
      otherTab.postMessage('signed out')
      await expect.poll(() => session.endReason).toBe('signed-out')
      otherTab.close()
    }

    it('is not renewed afterwards, and keeps the reason `signed-out`', async () => {
      const { session, notified } = open()
      await signOutElsewhere(session)
      expect(await session.credential.renew!()).toBe(false)
      expect([session.endReason, notified, received]).toEqual(['signed-out', [undefined], []])
    })

    it.each([
      ['refuses', { status: 400, body: { error: 'invalid_grant' } }],
      ['grants', undefined],
    ])(
      'keeps the reason `signed-out` and no refresh token when the provider %s a renewal sent before the sign-out',
      async (_, late) => {
        reply = late ?? reply
        const sent = Promise.withResolvers<void>()
        const isSignedOut = Promise.withResolvers<void>()
        beforeReply = () => {
          sent.resolve()
          return isSignedOut.promise
        }
        const { session, storage, notified } = open()
        const renewal = session.credential.renew!()
        await sent.promise
        await signOutElsewhere(session)
        isSignedOut.resolve()
        expect(await renewal).toBe(false)
        expect([session.endReason, notified, storage.refreshToken]).toEqual(['signed-out', [undefined], undefined])
      },
    )
  })

  it('survives an outage and a rate limit of the provider', async () => {
    const { session, storage, notified } = open()
    for (const status of [503, 429]) {
      reply = { status, body: { error: 'temporarily_unavailable' } }
      expect(await session.credential.renew!()).toBe(false)
      expect([storage.refreshToken, notified]).toEqual(['first', []])
    }
    reply = { status: 200, body: { access_token: jwt({ n: 3 }), token_type: 'Bearer', expires_in: 600 } }
    expect(await session.credential.renew!()).toBe(true)
    expect(storage.refreshToken).toBe('first')
  })
})
