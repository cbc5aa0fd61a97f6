import { sql } from '@storey/kit/database'
import type { TestDatabase } from '@storey/kit/testing'
import { createRealmVerifier } from '@storey/kit/tokens'
import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Browser } from './testing/browser.ts'
import { approveDevice, discover, PASSWORD, refusal } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

const SCOPE = { scope: 'openid email offline_access' }
const email = 'ada@example.com'

describe('a device login', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  let address = '192.0.2.1'
  let config: oauth.Configuration
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({ database: test.database, addressOf: () => address })
    await identity.developers.create({ id: 'dev_ada', email, organizationId: 'org_a', password: PASSWORD })
    config = await discover(identity.issuers.developers, 'svc-cli')
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })

  /** Sends one poll for the token immediately, where a library would wait for the poll interval. */
  const poll = async (deviceCode: string) => {
    const response = await fetch(config.serverMetadata().token_endpoint!, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: deviceCode,
        client_id: 'svc-cli',
      }),
    })
    return (await response.json()) as { error?: string; access_token?: string; refresh_token?: string }
  }
  const connect = async (browser?: Browser) => {
    const started = await oauth.initiateDeviceAuthorization(config, SCOPE)
    const link = started.verification_uri_complete!
    const page = await approveDevice(identity, { link, email, ...(browser ? { browser } : {}) })
    expect(page.title).toBe('The device is connected')
    return (await poll(started.device_code)) as { access_token: string; refresh_token: string }
  }

  /** Moves all expiry times back, as if this much time had passed. */
  const passTime = (interval: string) =>
    test.database.run(sql`update identity_models set expires_at = expires_at - ${interval}::interval`)

  it('[IDN-15, IDN-17] gets tokens for its code, refreshes them, and ends when they are revoked', async () => {
    const started = await oauth.initiateDeviceAuthorization(config, SCOPE)
    expect(started).toMatchObject({ interval: 5, expires_in: 600 })
    expect(started.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    const polling = oauth.pollDeviceAuthorizationGrant(config, started)
    const page = await approveDevice(identity, { link: started.verification_uri_complete!, email })
    expect(page.title).toBe('The device is connected')

    const tokens = await polling
    const verifier = createRealmVerifier(identity.issuers.developers)
    const claims = await verifier.verify(tokens.access_token)
    expect(claims).toMatchObject({
      sub: 'dev_ada',
      org_id: 'org_a',
      azp: 'svc-cli',
      email,
      realm_access: { roles: ['developer'] },
      scope: SCOPE.scope,
      iss: identity.issuers.developers,
    })
    expect(claims.exp! - claims.iat!).toBe(600)
    expect(await oauth.fetchUserInfo(config, tokens.access_token, 'dev_ada')).toMatchObject({ email, org_id: 'org_a' })

    const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token!)
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
    expect(await verifier.verify(refreshed.access_token)).toMatchObject({ sub: 'dev_ada', azp: 'svc-cli' })

    await oauth.tokenRevocation(config, refreshed.refresh_token!)
    expect(await refusal(oauth.refreshTokenGrant(config, refreshed.refresh_token!))).toBe('invalid_grant')
  })

  it('ends when an old refresh token is used again', async () => {
    const first = await connect()
    const second = await oauth.refreshTokenGrant(config, first.refresh_token)
    expect(await refusal(oauth.refreshTokenGrant(config, first.refresh_token))).toBe('invalid_grant')
    expect(await refusal(oauth.refreshTokenGrant(config, second.refresh_token!))).toBe('invalid_grant')
  })

  it('accepts at most one of ten concurrent uses of a refresh token', async () => {
    const { refresh_token } = await connect()
    const results = await Promise.all(
      Array.from({ length: 10 }, () => refusal(oauth.refreshTokenGrant(config, refresh_token))),
    )
    expect(results.filter((error) => error === undefined).length).toBeLessThanOrEqual(1)
    expect(new Set(results.filter(Boolean))).toEqual(new Set(['invalid_grant']))
  })

  it('gives each device its own grant, even if the user approves both in one browser', async () => {
    const browser = new Browser(identity.url)
    const laptop = await connect(browser)
    const desktop = await connect(browser)
    await oauth.tokenRevocation(config, laptop.refresh_token)
    expect(await refusal(oauth.refreshTokenGrant(config, laptop.refresh_token))).toBe('invalid_grant')
    expect(await refusal(oauth.refreshTokenGrant(config, desktop.refresh_token))).toBeUndefined()
  })

  it('[IDN-16] ends after 30 days without use, and not before', async () => {
    let { refresh_token } = await connect()
    for (let month = 0; month < 6; month++) {
      await passTime('29 days 23 hours')
      await identity.maintain()
      refresh_token = (await oauth.refreshTokenGrant(config, refresh_token)).refresh_token!
    }
    await passTime('30 days 1 minute')
    await identity.maintain()
    expect(await refusal(oauth.refreshTokenGrant(config, refresh_token))).toBe('invalid_grant')
  })

  it('[IDN-31] gets no code and no token for an unknown resource', async () => {
    const resource = 'https://evil.example/api'
    expect(await refusal(oauth.initiateDeviceAuthorization(config, { ...SCOPE, resource }))).toBe('invalid_target')
    const both = new URLSearchParams([
      ['resource', resource],
      ['resource', identity.audiences.developers],
    ])
    for (const parameters of [{ resource }, both]) {
      const { refresh_token } = await connect()
      expect(await refusal(oauth.refreshTokenGrant(config, refresh_token, parameters))).toBe('invalid_target')
    }
  })

  it('[IDN-32] is not valid after the public URL has changed', async () => {
    const { refresh_token } = await connect()
    const moved = await serveIdentity({ database: test.database, publicUrl: 'https://moved.example' })
    const answer = await fetch(`${moved.url}/realms/developers/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'svc-cli', refresh_token }),
    })
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' })
    await moved.stop()
  })

  it('gets authorization_pending, and slow_down when it polls too fast', async () => {
    const { device_code } = await oauth.initiateDeviceAuthorization(config, SCOPE)
    expect(await poll(device_code)).toMatchObject({ error: 'authorization_pending' })
    expect(await poll(device_code)).toMatchObject({ error: 'slow_down' })
    expect(await poll('invented')).toMatchObject({ error: 'invalid_grant' })
  })

  it('connects no device when the user denies access', async () => {
    const started = await oauth.initiateDeviceAuthorization(config, SCOPE)
    const browser = new Browser(identity.url)
    const confirm = await browser.submit(await browser.open(started.verification_uri_complete!))
    expect(confirm.title).toBe('Allow Storey command line (svc)?')
    expect(confirm.text).toContain(started.user_code)
    const page = await browser.submit(confirm, { abort: 'yes' })
    expect(page.error).toBe('Access denied. The device was not connected.')
    expect(await poll(started.device_code)).toMatchObject({ error: 'access_denied' })
  })

  it('shows the account that the device will act for, and lets the user switch to another one', async () => {
    const browser = new Browser(identity.url)
    await connect(browser)
    const started = await oauth.initiateDeviceAuthorization(config, SCOPE)
    const confirm = await browser.submit(await browser.open(started.verification_uri_complete!))
    expect(confirm.text).toContain(`act for ${email}`)
    const signOut = await browser.open(confirm.links[0]!)
    expect(signOut.title).toBe('Sign out?')
    const back = await browser.submit(signOut, { logout: 'yes' })
    expect(back.url.href).toBe(`${identity.url}/device?state=${started.user_code}`)
    const again = await browser.submit(await browser.open(started.verification_uri_complete!))
    expect([again.title, again.links]).toEqual([confirm.title, []])
    expect((await browser.submit(again, { confirm: 'yes' })).title).toMatch(/^Sign in/)
  })

  it('accepts a code in lower case and without its dash, but only once', async () => {
    const started = await oauth.initiateDeviceAuthorization(config, SCOPE)
    const browser = new Browser(identity.url)
    const typed = { user_code: started.user_code.toLowerCase().replace('-', '') }
    const confirm = await browser.submit(await browser.open(started.verification_uri), typed)
    await browser.submit(confirm, { confirm: 'yes' })
    const again = await browser.submit(await browser.open(started.verification_uri), typed)
    expect(again.error).toBe('The code has been used. Start again on the device.')
    const linked = await browser.open(started.verification_uri_complete!)
    expect(linked.error).toBe(again.error)
  })

  it('refuses an unknown code in a link, and counts it as a guess unless the browser requests the link as an image', async () => {
    address = '192.0.2.77'
    const browser = new Browser(identity.url)
    const link = `${identity.issuers.developers}/device?user_code=bbbb-bbbb&ui_locales=ru`
    const page = await browser.open(link)
    expect(page.error).toBe('Такой код не существует. Проверьте его или начните на устройстве заново.')
    expect(page.text).toContain('value="bbbb-bbbb"')
    const image = { 'sec-fetch-dest': 'image' }
    for (let i = 0; i < 25; i++) expect((await browser.open(link, image)).status).toBe(200)
    for (let i = 1; i < 20; i++) expect((await browser.open(link)).status).toBe(200)
    expect((await browser.open(link)).status).toBe(429)
    address = '192.0.2.1'
  })

  it('refuses a form that the page for the code did not send', async () => {
    const started = await oauth.initiateDeviceAuthorization(config, SCOPE)
    const browser = new Browser(identity.url)
    await browser.open(started.verification_uri)
    const forged = { user_code: started.user_code, confirm: 'yes', xsrf: 'guessed' }
    const page = await browser.post(new URL(started.verification_uri), forged)
    expect(page.error).toBe('This page has expired. Enter the code again.')
    expect(await poll(started.device_code)).toMatchObject({ error: 'authorization_pending' })
  })

  it('limits guesses at codes by address', async () => {
    address = '192.0.2.9'
    const browser = new Browser(identity.url)
    let page = await browser.open(`${identity.issuers.developers}/device`)
    for (let i = 0; i < 20; i++) {
      page = await browser.submit(page, { user_code: 'BBBB-BBBB' })
      expect(page.error).toMatch('This code does not exist')
    }
    page = await browser.submit(page, { user_code: 'BBBB-BBBB' })
    expect([page.status, page.title]).toEqual([429, 'Too many wrong codes'])
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    address = '192.0.2.10'
    expect((await browser.open(`${identity.issuers.developers}/device`)).status).toBe(200)
  })

  it('escapes markup in a code', async () => {
    const page = await new Browser(identity.url).open(
      `${identity.issuers.developers}/device?user_code=${encodeURIComponent('"><script>1')}`,
    )
    expect(page.text).not.toContain('<script')
  })
})
