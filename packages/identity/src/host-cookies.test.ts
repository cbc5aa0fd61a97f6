import type { TestDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Browser } from './testing/browser.ts'
import { PASSWORD } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

const PUBLIC_URL = 'https://storey.example'
const email = 'ada@example.com'

describe('the cookies of a realm', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  let plain: ServedIdentity
  let browser: Browser
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({ database: test.database, publicUrl: PUBLIC_URL })
    plain = await serveIdentity({ database: test.database })
    await identity.developers.create({ id: 'dev_ada', email, organizationId: 'org_a', password: PASSWORD })
  })
  afterAll(async () => {
    await identity.stop()
    await plain.stop()
    await test.drop()
  })
  beforeEach(() => {
    browser = newBrowser()
  })

  function newBrowser(): Browser {
    const fresh = new Browser(PUBLIC_URL)
    fresh.via.set(PUBLIC_URL, identity.url)
    return fresh
  }
  const link = (origin: string, more: Record<string, string> = {}) =>
    `${origin}/realms/developers/auth?${new URLSearchParams({
      client_id: 'svc-portal',
      redirect_uri: `${origin}/callback`,
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      ...more,
    })}`
  /** The same link to the server itself, without the proxy that terminates TLS. */
  const ownLink = () => link(PUBLIC_URL).replace(PUBLIC_URL, identity.url)
  const signIn = async (by: Browser, page = by.open(link(PUBLIC_URL))) =>
    await by.submit(await page, { email, password: PASSWORD })
  const sessionOf = (by: Browser) => by.cookies().find(({ name }) => name === '__Host-storey_developers')?.value

  it('[IDN-29] are bound to the host on https, by the prefix __Host-', async () => {
    const lines: string[] = []
    const keep = browser.keep.bind(browser)
    browser.keep = (url, all) => {
      lines.push(...all)
      keep(url, all)
    }
    expect((await signIn(browser, browser.open(link(PUBLIC_URL, { ui_locales: 'en' })))).url.pathname).toBe('/callback')
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) {
      expect(line).toMatch(/^__Host-storey_developers/)
      expect(line).toMatch(/; path=\/(;|$)/)
      expect(line).toMatch(/; secure(;|$)/)
      expect(line).toMatch(/; httponly(;|$)/i)
      expect(line).not.toMatch(/domain=/i)
    }
    expect(
      browser
        .cookies()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      '__Host-storey_developers',
      '__Host-storey_developers.sig',
      '__Host-storey_developers_device',
      '__Host-storey_developers_locale',
      '__Host-storey_developers_steps',
    ])
  })

  it('[IDN-29] are ignored without the prefix, so that a page on another host cannot plant a session', async () => {
    const attacker = newBrowser()
    await signIn(attacker)
    const planted = attacker.cookies().map(({ name, value }) => `${name.replace('__Host-', '')}=${value}`)
    const answer = await fetch(ownLink(), {
      redirect: 'manual',
      headers: { cookie: planted.join('; ') },
    })
    expect(answer.headers.get('location')).toMatch(/interaction/)
    // The planted cookies have no effect next to the browser's own.
    await signIn(browser)
    browser.setForeignCookies(PUBLIC_URL, planted)
    const mine = await browser.open(link(PUBLIC_URL))
    expect(mine.url.pathname).toBe('/callback')
    expect(sessionOf(browser)).not.toBe(sessionOf(attacker))
  })

  it('[IDN-29] are ignored if their name begins with a no-break space, because every host can set such a cookie', async () => {
    const attacker = newBrowser()
    await signIn(attacker)
    const planted = attacker.cookies().map(({ name, value }) => `\u00a0${name}=${value}`)
    const answer = await fetch(ownLink(), { redirect: 'manual', headers: { cookie: ['a=b', ...planted].join('; ') } })
    expect(answer.headers.get('location')).toMatch(/interaction/)
  })

  it('keep concurrent sign-ins of one browser separate, and forget completed sign-ins and the oldest of many open ones', async () => {
    const pages = [await browser.open(link(PUBLIC_URL)), await browser.open(link(PUBLIC_URL))]
    for (const page of pages.reverse()) {
      expect((await browser.submit(page, { email, password: PASSWORD })).url.pathname).toBe('/callback')
    }
    expect(browser.cookies().find(({ name }) => name.endsWith('_steps'))?.value).toBe('')
    const many = newBrowser()
    for (let i = 0; i < 20; i++) await many.open(link(PUBLIC_URL))
    expect(many.cookies().find(({ name }) => name.endsWith('_steps'))!.value.length).toBeLessThan(600)
  })

  it('[IDN-30] have a new session id after the sign-in', async () => {
    const device = `${PUBLIC_URL}/realms/developers/device`
    await browser.open(device)
    const pairsOf = (by: Browser) =>
      by
        .cookies()
        .filter(({ name }) => /^__Host-storey_developers(\.sig)?$/.test(name))
        .map(({ name, value }) => `${name}=${value}`)
    const before = pairsOf(browser)
    expect(before).toHaveLength(2)
    await signIn(browser)
    const goesTo = async (cookies: string[]) => {
      const answer = await fetch(ownLink(), { redirect: 'manual', headers: { cookie: cookies.join('; ') } })
      return new URL(answer.headers.get('location')!, PUBLIC_URL).pathname
    }
    expect(await goesTo(before)).toMatch(/interaction/)
    expect(await goesTo(pairsOf(browser))).toBe('/callback')
  })

  it('have names without the prefix, and the path of their realm, on http', async () => {
    const by = new Browser(plain.url)
    await by.submit(await by.open(link(plain.url)), { email, password: PASSWORD })
    expect(by.cookies().some(({ name }) => name.startsWith('__Host-'))).toBe(false)
    expect(by.cookies().find(({ name }) => name === 'storey_developers')?.path).toBe('/realms/developers')
  })
})
