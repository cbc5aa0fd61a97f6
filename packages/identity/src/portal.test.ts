import type { TestDatabase } from '@storey/kit/testing'
import { createRealmVerifier } from '@storey/kit/tokens'
import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Browser } from './testing/browser.ts'
import { discover, PASSWORD, refusal, signInToPortal, startCodeFlow } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

const email = 'ada@example.com'

describe('the developers realm', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  let config: oauth.Configuration
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({ database: test.database })
    await identity.developers.create({ id: 'dev_ada', email, organizationId: 'org_a', password: PASSWORD })
    config = await discover(identity.issuers.developers, 'svc-portal')
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })

  const start = (parameters?: Record<string, string>) =>
    startCodeFlow({ config, redirectUri: `${identity.url}/callback`, ...(parameters ? { parameters } : {}) })

  it('[IDN-32] needs no password in a browser that was signed in before the service moved to another port', async () => {
    const moved = await serveIdentity({ database: test.database })
    const browser = new Browser(identity.url, moved.url)
    await signInToPortal(identity, { email: 'ada@example.com' }, browser)
    const config = await discover(moved.issuers.developers, 'svc-portal')
    const { url, redeem } = await startCodeFlow({ config, redirectUri: `${moved.url}/callback` })
    const { access_token } = await redeem((await browser.open(url)).url)
    const audience = { required: moved.audiences.developers }
    await createRealmVerifier(moved.issuers.developers, undefined, { audience }).verify(access_token)
    await moved.stop()
  })

  it('[IDN-05, IDN-14] gives tokens with the claims of the developer, and a new refresh token at each refresh', async () => {
    const { tokens } = await signInToPortal(identity, { email: 'Ada@Example.com ' })
    const claims = await createRealmVerifier(identity.issuers.developers).verify(tokens.access_token)
    expect(claims).toMatchObject({ sub: 'dev_ada', org_id: 'org_a', azp: 'svc-portal', email, scope: 'openid email' })
    expect(tokens.claims()).toMatchObject({ sub: 'dev_ada', email, org_id: 'org_a' })
    const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token!)
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
  })

  it('[IDN-09] gives ID tokens that are refused as access tokens, and expire within ten minutes', async () => {
    const { tokens } = await signInToPortal(identity, { email })
    const verifier = createRealmVerifier(identity.issuers.developers)
    await expect(verifier.verify(tokens.id_token!)).rejects.toThrow('not valid')
    expect(tokens.claims()!.exp - tokens.claims()!.iat).toBeLessThanOrEqual(600)
  })

  it('[IDN-09] gives tokens that the other realm refuses', async () => {
    const { tokens } = await signInToPortal(identity, { email })
    await expect(createRealmVerifier(identity.issuers.sandboxes).verify(tokens.access_token)).rejects.toThrow(
      'not valid',
    )
    const response = await fetch(`${identity.issuers.sandboxes}/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(response.status).toBe(401)
  })

  it('requires the password once in a browser, and again after signing out', async () => {
    const { browser, tokens } = await signInToPortal(identity, { email })
    const second = await start()
    const end = await browser.open(second.url)
    expect((await second.redeem(end.url)).claims()?.sub).toBe('dev_ada')

    const out = oauth.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token!,
      post_logout_redirect_uri: `${identity.url}/`,
    })
    // The ID token proves that the application itself requests the sign-out, and not a link of somebody else.
    expect((await browser.open(out)).url.href).toBe(`${identity.url}/`)
    expect((await browser.open((await start()).url)).title).toBe('Sign in to Storey portal')
    expect(await refusal(oauth.refreshTokenGrant(config, tokens.refresh_token!))).toBe('invalid_grant')
    out.searchParams.set('state', 'a&b')
    expect((await browser.open(out)).url.href).toBe(`${identity.url}/?state=a%26b`)
  })

  it('asks for confirmation before a sign-out without an ID token of this session', async () => {
    const [{ browser, tokens }, other] = [
      await signInToPortal(identity, { email }),
      await signInToPortal(identity, { email }),
    ]
    const home = `${identity.url}/`
    const out = (hint?: string) =>
      oauth.buildEndSessionUrl(config, { ...(hint && { id_token_hint: hint }), post_logout_redirect_uri: home })
    for (const address of [out(), out(other.tokens.id_token!)]) {
      const asked = await browser.open(address)
      expect(asked.title).toBe('Sign out?')
    }
    const forged = await browser.open(out(tokens.id_token!.replace(/\.[^.]{8}/, '.AAAAAAAA')))
    expect([forged.status, forged.title]).toEqual([400, 'This request is not valid'])
    const stayed = await start()
    expect((await stayed.redeem((await browser.open(stayed.url)).url)).claims()?.sub).toBe('dev_ada')
    const asked = await browser.open(out())
    expect((await browser.submit(asked, { logout: 'yes' })).url.href).toBe(home)
    expect((await browser.open((await start()).url)).title).toBe('Sign in to Storey portal')
    // The other browser of the same user stays signed in.
    expect((await oauth.refreshTokenGrant(config, other.tokens.refresh_token!)).access_token).toBeDefined()
  })

  it('uses the language of ui_locales, which a cookie keeps for later requests, or else the language of the browser', async () => {
    const browser = new Browser(identity.url)
    const page = await browser.open((await start({ ui_locales: 'de ru-RU en' })).url)
    expect([page.title, page.text.includes('<html lang="ru">')]).toEqual(['Вход: Storey portal', true])
    const refused = await browser.submit(page, { email, password: 'wrong' })
    expect(refused.error).toBe('Неверный адрес или пароль.')
    const { url } = await start()
    const titleFor = async (language: string) => {
      const { url: next } = await start()
      const browser = new Browser(identity.url)
      return (await browser.open(next, { 'accept-language': language })).title
    }
    expect(await titleFor('ru,en;q=0.8')).toBe('Вход: Storey portal')
    expect(await titleFor('fr, en;q=0.5')).toBe('Sign in to Storey portal')
    url.searchParams.set('client_id', 'nobody')
    expect((await browser.open(url)).title).toBe('Недопустимый запрос')
  })

  it('refuses a code that was used before, and revokes the tokens of its first use', async () => {
    const { end } = await signInToPortal(identity, { email })
    const code = end.url.searchParams.get('code')!
    const redeem = (verifier: string) =>
      refusal(
        oauth.genericGrantRequest(config, 'authorization_code', {
          code,
          code_verifier: verifier,
          redirect_uri: `${identity.url}/callback`,
        }),
      )
    expect(await redeem(oauth.randomPKCECodeVerifier())).toBe('invalid_grant')
    const browser = new Browser(identity.url)
    const { url, redeem: finish } = await start()
    const page = await browser.submit(await browser.open(url), { email, password: PASSWORD })
    const tokens = await finish(page.url)
    expect(await refusal(finish(page.url))).toBe('invalid_grant')
    // A code that is used twice was probably stolen, so the tokens of its first use are revoked too.
    expect(await refusal(oauth.refreshTokenGrant(config, tokens.refresh_token!))).toBe('invalid_grant')
  })

  it.each([
    ['without PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['with another response type', { response_type: 'token' }],
    ['with a plain challenge', { code_challenge_method: 'plain' }],
  ])('refuses a request %s', async (_, parameters) => {
    const { url } = await start()
    for (const [name, value] of Object.entries(parameters)) {
      if (value === '') url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    const { url: end } = await new Browser(identity.url).open(url)
    expect(end.pathname).toBe('/callback')
    expect(end.search + end.hash).toMatch(/error=(invalid_request|unsupported_response_type)/)
  })

  it.each([
    ['a redirect to another site', { redirect_uri: 'https://evil.example/callback' }],
    ['an unknown client', { client_id: 'nobody' }],
    ['an unknown client with a zero byte', { client_id: 'no\0body' }],
  ])('shows an error page for %s, and does not redirect', async (_, parameters) => {
    const { url } = await start()
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    const page = await new Browser(identity.url).open(url)
    expect([page.status, page.title]).toEqual([400, 'This request is not valid'])
    expect(page.url.origin).toBe(identity.url)
  })

  it('redirects with an error when the user cancels', async () => {
    const browser = new Browser(identity.url)
    const { url } = await start()
    const { url: end } = await browser.submit(await browser.open(url), {}, 1)
    expect(end.searchParams.get('error')).toBe('access_denied')
  })

  it('asks for consent when the application requests it, and then grants offline_access', async () => {
    const browser = new Browser(identity.url)
    const { url, redeem } = await start({ scope: 'openid offline_access', prompt: 'consent' })
    const consent = await browser.submit(await browser.open(url), { email, password: PASSWORD })
    expect(consent.title).toBe('Allow Storey portal?')
    expect(consent.text).toContain('stay signed in while you are away')
    const tokens = await redeem((await browser.submit(consent)).url)
    expect(tokens.scope).toBe('openid offline_access')
  })

  it('accepts only forms that its own page sent', async () => {
    const browser = new Browser(identity.url)
    const page = await browser.open((await start()).url)
    const action = new URL(page.forms[0]!.action, page.url)
    const good: Record<string, string> = { ...page.forms[0]!.fields, email, password: PASSWORD }

    const attempts = [
      await browser.post(action, { ...good, csrf: '' }),
      await browser.post(action, { ...good, csrf: `${good.csrf!.slice(0, -1)}_` }),
      await browser.post(action, good, { origin: 'https://evil.example' }),
      await browser.post(action, good, { origin: 'null' }),
    ]
    for (const refused of attempts) {
      expect([refused.status, refused.title]).toEqual([400, 'This request is not valid'])
    }
    const otherBrowser = await new Browser(identity.url).post(action, good)
    expect([otherBrowser.status, otherBrowser.title]).toEqual([400, 'This sign-in has expired'])
    expect(otherBrowser.links).toEqual([identity.url])
    const other = await browser.open((await start()).url)
    const mixed = await browser.post(new URL(other.forms[0]!.action, other.url), good)
    expect(mixed.status).toBe(400)
    expect((await browser.submit(page, { email, password: PASSWORD })).url.pathname).toBe('/callback')
  })

  it('sends pages that cannot be framed, scripted or cached', async () => {
    const page = await new Browser(identity.url).open((await start()).url)
    const policy = page.headers.get('content-security-policy')!
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(policy).not.toContain('script-src')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.text).not.toMatch(/<script|\son\w+=|style="/)
  })

  it('[IDN-19] publishes its metadata, and has no endpoint for registration', async () => {
    const metadata = config.serverMetadata()
    expect(metadata.registration_endpoint).toBeUndefined()
    expect(metadata).toMatchObject({
      issuer: identity.issuers.developers,
      grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['ES256'],
      userinfo_endpoint: `${identity.issuers.developers}/userinfo`,
      revocation_endpoint: `${identity.issuers.developers}/revoke`,
    })
    const post = await fetch(`${identity.issuers.developers}/reg`, { method: 'POST', body: '{}' })
    expect(post.status).toBe(404)
    const keys = (await (await fetch(metadata.jwks_uri!)).json()) as { keys: Record<string, unknown>[] }
    expect(keys.keys).toHaveLength(1)
    expect(keys.keys[0]).not.toHaveProperty('d')
  })

  it('gives the operator a token like that of a signed-in developer', async () => {
    const claims = await createRealmVerifier(identity.issuers.developers).verify(await identity.portalToken('dev_ada'))
    expect(claims).toMatchObject({ sub: 'dev_ada', azp: 'svc-portal', org_id: 'org_a' })
    await expect(identity.portalToken('dev_nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('leaves requests to paths outside the realms to the server that embeds it', async () => {
    for (const path of ['/', '/realms', '/realms/other/jwks', '/realms/developersx/jwks', '/api/v1/sandboxes']) {
      expect(await (await fetch(identity.url + path)).text()).toBe('not a realm')
    }
  })
})
