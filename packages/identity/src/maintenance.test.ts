import { movableClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import { createLog } from '@storey/kit/log'
import { sha256 } from '@storey/kit/secrets'
import type { TestDatabase } from '@storey/kit/testing'
import { createRealmVerifier } from '@storey/kit/tokens'
import { decodeProtectedHeader } from 'jose'
import * as oauth from 'openid-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Browser } from './testing/browser.ts'
import { discover, PASSWORD, refusal, signInToPortal, startCodeFlow } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, type ServeOptions, serveIdentity } from './testing/serve.ts'

const DAY_MS = 86_400_000
const email = 'ada@example.com'

describe('the identity provider', () => {
  let test: TestDatabase
  let running: ServedIdentity[] = []
  const serve = async (options: Partial<ServeOptions> = {}) => {
    const served = await serveIdentity({ database: test.database, ...options })
    running.push(served)
    return served
  }
  beforeEach(async () => {
    test = await identityDatabase()
  })
  afterEach(async () => {
    for (const served of running) await served.stop()
    running = []
    await test.drop()
  })

  const invite = (identity: ServedIdentity) =>
    identity.developers.create({ id: 'dev_ada', email, organizationId: 'org_a', password: PASSWORD })
  const publishedKeys = async ({ issuers }: ServedIdentity) => {
    const response = await fetch(`${issuers.developers}/jwks`)
    return ((await response.json()) as { keys: { kid: string }[] }).keys.map((key) => key.kid)
  }
  const signerOf = async (identity: ServedIdentity) => decodeProtectedHeader(await identity.portalToken('dev_ada')).kid

  it('[IDN-24] keeps keys, sessions and refresh tokens over a restart', async () => {
    const before = await serve()
    await invite(before)
    const { browser, tokens, config } = await signInToPortal(before, { email })
    const keys = await publishedKeys(before)
    await running.pop()!.stop()

    const after = await serve({ port: Number(new URL(before.url).port) })
    expect(await publishedKeys(after)).toEqual(keys)
    await createRealmVerifier(after.issuers.developers).verify(tokens.access_token)
    expect(await refusal(oauth.refreshTokenGrant(config, tokens.refresh_token!))).toBeUndefined()
    const { url } = await startCodeFlow({ config, redirectUri: `${after.url}/callback` })
    expect((await browser.open(url)).url.pathname).toBe('/callback')
  })

  it('can run in two processes at the same time', async () => {
    const one = await serve()
    await invite(one)
    const two = await serve({ publicUrl: one.url })
    expect(two.issuers).toEqual(one.issuers)
    const config = await discover(one.issuers.developers, 'svc-portal')
    const { url, redeem } = await startCodeFlow({ config, redirectUri: `${one.url}/callback` })
    const browser = new Browser(one.url, two.url)
    const page = await browser.open(url)
    const elsewhere = new URL(page.forms[0]!.action, two.url)
    const form = { ...page.forms[0]!.fields, email, password: PASSWORD }
    const end = await browser.post(elsewhere, form, { origin: one.url })
    const tokens = await redeem(end.url)
    const refreshed = await fetch(`${two.url}/realms/developers/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'svc-portal',
        refresh_token: tokens.refresh_token!,
      }),
    })
    expect(refreshed.status).toBe(200)
    expect(await refusal(oauth.refreshTokenGrant(config, tokens.refresh_token!))).toBe('invalid_grant')
  })

  it('creates one key when many processes start at the same time', async () => {
    const served = await Promise.all(Array.from({ length: 8 }, () => serve()))
    expect(new Set(await Promise.all(served.map(async (one) => (await publishedKeys(one)).join()))).size).toBe(1)
  })

  it('rotates keys, which are published before they sign and until their tokens expire', async () => {
    const clock = movableClock()
    const identity = await serve({ clock })
    const other = await serve({ clock, publicUrl: identity.url })
    await invite(identity)
    const [first] = await publishedKeys(identity)
    const verifier = createRealmVerifier(identity.issuers.developers)

    clock.advance(90 * DAY_MS)
    await identity.maintain()
    const [signing, second] = await publishedKeys(identity)
    expect(signing).toBe(first)
    expect(second).toBeDefined()
    expect(await signerOf(identity)).toBe(first)
    const old = await identity.portalToken('dev_ada')

    clock.advance(DAY_MS)
    await identity.maintain()
    await other.maintain()
    expect(await publishedKeys(other)).toEqual([second, first])
    expect(await signerOf(identity)).toBe(second)
    expect(await signerOf(other)).toBe(second)
    await verifier.verify(old)
    await verifier.verify(await identity.portalToken('dev_ada'))

    clock.advance(DAY_MS)
    await identity.maintain()
    expect(await publishedKeys(identity)).toEqual([second])
  })

  it('does not start with keys that were encrypted with another master secret', async () => {
    await serve()
    await expect(serve({ masterSecret: 'another' })).rejects.toThrow('the master secret is not the one')
  })

  it('stores no credential in plain text', async () => {
    const identity = await serve()
    await invite(identity)
    const { tokens, browser } = await signInToPortal(identity, { email })
    const { clientSecret } = await identity.serviceAccounts.create({ tenantId: 'org_t', name: 'n', roles: [] })
    const { oneTimePassword } = await identity.accounts.create({ tenantId: 'org_t', email, roles: [] })
    const session = browser.cookies().find(({ name }) => name === 'storey_developers')!.value
    const dump: string[] = []
    for (const table of ['accounts', 'clients', 'models', 'keys', 'attempts']) {
      const { rows } = await test.database.session((tx) =>
        tx.client.query(`select t::text as line from identity_${table} t`),
      )
      // PostgreSQL shows bytes as hexadecimal digits, so the decoded text is searched too.
      dump.push(
        ...rows.flatMap(({ line }) => [
          line,
          line.replace(/\\\\x([0-9a-f]+)/g, (_: string, hex: string) => Buffer.from(hex, 'hex').toString('latin1')),
        ]),
      )
    }
    // The stored hash of a secret is found, which proves that the search works.
    expect(dump.some((line) => line.includes(sha256(clientSecret).toString('latin1')))).toBe(true)
    for (const secret of [PASSWORD, tokens.refresh_token!, clientSecret, oneTimePassword, session]) {
      expect(dump.some((line) => line.includes(secret))).toBe(false)
    }
  })

  it('deletes expired rows, and keeps a grant as long as its tokens', async () => {
    const identity = await serve()
    await invite(identity)
    const { tokens, config } = await signInToPortal(identity, { email })
    const age = (interval: string) =>
      test.database.run(sql`update identity_models set expires_at = expires_at - ${interval}::interval`)
    await age('11 hours')
    await identity.maintain()
    const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token!)
    await age('11 hours')
    await identity.maintain()
    // The refresh token is bound to a session, which ended ten hours ago.
    expect(await refusal(oauth.refreshTokenGrant(config, refreshed.refresh_token!))).toBe('invalid_grant')
    await age('2 hours')
    await identity.maintain()
    const left = await test.database.rows<{ model: string }>(sql`select model from identity_models`)
    expect(left).toEqual([])
  })

  it('takes its URLs from the settings, and not from the request', async () => {
    const identity = await serve({ publicUrl: 'https://storey.example' })
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', forwarded: 'host=evil.example' }
    const metadata = await fetch(`${identity.url}/realms/developers/.well-known/openid-configuration`, { headers })
    const text = await metadata.text()
    expect(JSON.parse(text).issuer).toBe('https://storey.example/realms/developers')
    expect(text).not.toMatch(/evil|localhost|http:/)

    const query = new URLSearchParams({
      client_id: 'svc-portal',
      redirect_uri: 'https://storey.example/callback',
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    const start = await fetch(`${identity.url}/realms/developers/auth?${query}`, { headers, redirect: 'manual' })
    expect(start.headers.get('location')).toMatch(/^\/realms\/developers\/interaction\//)
    const cookies = start.headers.getSetCookie()
    expect(cookies.length).toBeGreaterThan(0)
    for (const cookie of cookies) {
      expect(cookie).toMatch(/; secure/i)
      expect(cookie).toMatch(/; httponly/i)
      expect(cookie).toMatch(/; samesite=lax/i)
      expect(cookie).toMatch(/^__Host-.*; path=\/; secure$/i)
    }
  })

  it('finds a developer by the email in any case, and refuses a second account and a weak password', async () => {
    const identity = await serve()
    await invite(identity)
    expect(await identity.developers.find('ADA@example.com')).toEqual({ id: 'dev_ada', email, organizationId: 'org_a' })
    await expect(invite(identity)).rejects.toMatchObject({ code: 'CONFLICT' })
    const weak = { id: 'dev_bob', email: 'bob@example.com', organizationId: 'org_b', password: 'short' }
    await expect(identity.developers.create(weak)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  })

  it('lets an invited developer choose a password', async () => {
    const identity = await serve()
    const { oneTimePassword } = await identity.developers.create({ id: 'dev_new', email, organizationId: 'org_a' })
    const config = await discover(identity.issuers.developers, 'svc-portal')
    const { url } = await startCodeFlow({ config, redirectUri: `${identity.url}/callback` })
    const browser = new Browser(identity.url)
    const choose = await browser.submit(await browser.open(url), { email, password: oneTimePassword! })
    expect(choose.title).toBe('Choose a password')
    expect((await browser.submit(choose, { password: PASSWORD, repeated: PASSWORD })).url.pathname).toBe('/callback')
  })

  it('prints nothing and logs nothing for a sign-in and for invalid requests', async () => {
    const spies = (['log', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name))
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
    try {
      const identity = await serve({ log: createLog({ level: 'info', form: 'lines', name: 'test' }) })
      await invite(identity)
      await signInToPortal(identity, { email })
      const wrong = new Browser(identity.url)
      await wrong.open(`${identity.issuers.developers}/auth?client_id=nobody`)
      await wrong.open(`${identity.issuers.developers}/nothing`)
      await fetch(`${identity.issuers.developers}/token`, { method: 'POST', body: 'x=1' })
      for (const spy of spies) expect(spy).not.toHaveBeenCalled()
      expect(stderr).not.toHaveBeenCalled()
    } finally {
      vi.restoreAllMocks()
    }
  })
})
