import { movableClock } from '@storey/kit/clock'
import type { TestDatabase } from '@storey/kit/testing'
import type * as oauth from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPasswords } from './accounts/passwords.ts'
import { Browser, type BrowserPage } from './testing/browser.ts'
import { discover, PASSWORD, startCodeFlow } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

const SLOW_DOWN_MS = 400

describe('a client that guesses passwords', () => {
  const clock = movableClock()
  let test: TestDatabase
  let identity: ServedIdentity
  let config: oauth.Configuration
  let address = ''
  let people = 0
  let email = ''
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({
      database: test.database,
      clock,
      addressOf: () => address,
      slowDownMs: SLOW_DOWN_MS,
    })
    config = await discover(identity.issuers.developers, 'svc-portal')
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })
  beforeEach(async () => {
    people++
    email = `person${people}@example.com`
    address = `198.51.100.${people}`
    await identity.developers.create({ id: `dev_${people}`, email, organizationId: 'org_a', password: PASSWORD })
  })

  const signInPage = async () => {
    const browser = new Browser(identity.url)
    const { url } = await startCodeFlow({ config, redirectUri: `${identity.url}/callback` })
    return { browser, page: await browser.open(url) }
  }
  const attempt = async (fields: { email: string; password: string }) => {
    const { browser, page } = await signInPage()
    return await browser.submit(page, fields)
  }
  const isIn = (shown: BrowserPage) => shown.url.pathname === '/callback'
  /** The visible parts of a response, without the parts that differ each time. */
  const seen = ({ status, text }: BrowserPage, typed: string) => [
    status,
    text.replaceAll(typed, 'EMAIL').replace(/interaction\/[\w-]+|value="[\w-]{43}"/g, '…'),
  ]

  it('gets the same response and the same wait for an unknown account as for a known one', async () => {
    const nobody = `nobody${people}@example.com`
    for (let i = 0; i < 6; i++) {
      const [one, other] = [
        await attempt({ email, password: 'wrong' }),
        await attempt({ email: nobody, password: 'wrong' }),
      ]
      expect(seen(one, email)).toEqual(seen(other, nobody))
      expect(one.status).toBe(i < 5 ? 400 : 429)
    }
  })

  it('waits about as long for a response about an unknown account as about a known one', async () => {
    const served = await serveIdentity({ database: test.database, clock, fullPasswordWork: true })
    const known = { id: `dev_known${people}`, email: `known${people}@example.com`, organizationId: 'org_a' }
    await served.developers.create({ ...known, password: PASSWORD })
    const portal = await discover(served.issuers.developers, 'svc-portal')
    const times = { [known.email]: [] as number[], 'nobody@example.com': [] as number[] }
    for (let i = 0; i < 5; i++) {
      for (const [who, list] of Object.entries(times)) {
        const browser = new Browser(served.url)
        const { url } = await startCodeFlow({ config: portal, redirectUri: `${served.url}/callback` })
        const page = await browser.open(url)
        const before = process.cpuUsage()
        await browser.submit(page, { email: who, password: 'wrong' })
        const { user, system } = process.cpuUsage(before)
        list.push(user + system)
      }
    }
    // CPU time is measured, because it does not depend on other processes. Other work of this process adds to it, so
    // the shortest time is the most exact.
    const [ofKnown, ofUnknown] = Object.values(times).map((list) => Math.min(...list))
    expect(ofKnown! / ofUnknown!).toBeGreaterThan(0.5)
    expect(ofKnown! / ofUnknown!).toBeLessThan(2)
    await served.stop()
  })

  it('[IDN-25] has to wait after twenty failures with one account from one IPv6 network, even from different addresses', async () => {
    for (let i = 0; i < 20; i++) {
      address = `2001:db8:${people}:${i}::1`
      expect((await attempt({ email, password: 'wrong' })).status).toBe(400)
    }
    address = `2001:db8:${people}:ffff::1`
    expect((await attempt({ email, password: PASSWORD })).status).toBe(429)
    expect((await attempt({ email: `other${email}`, password: 'wrong' })).status).toBe(400)
    address = `2001:db9:${people}::1`
    expect(isIn(await attempt({ email, password: PASSWORD }))).toBe(true)
  })

  it('[IDN-25] has to wait ever longer after five failures from one address, even with the right password', async () => {
    for (let i = 0; i < 5; i++) expect((await attempt({ email, password: 'wrong' })).status).toBe(400)
    const waits = []
    for (let i = 0; i < 12; i++) {
      const blocked = await attempt({ email, password: PASSWORD })
      expect(blocked.status).toBe(429)
      const seconds = Number(blocked.headers.get('retry-after'))
      waits.push(seconds)
      if (seconds === 2) expect(blocked.error).toBe('Too many attempts. Wait 2 seconds and try again.')
      if (seconds === 900) expect(blocked.error).toBe('Too many attempts. Wait 15 minutes and try again.')
      clock.advance(seconds * 1_000)
      expect((await attempt({ email, password: 'wrong' })).status).toBe(400)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
    clock.advance(900_000)
    expect(isIn(await attempt({ email, password: PASSWORD }))).toBe(true)
    for (let i = 0; i < 5; i++) expect((await attempt({ email, password: 'wrong' })).status).toBe(400)
  })

  it('[IDN-25] does not delay the owner at another address, not even with eighty guesses', async () => {
    for (let i = 0; i < 80; i++) await attempt({ email, password: 'wrong' })
    address = `203.0.113.${people}`
    expect(isIn(await attempt({ email, password: PASSWORD }))).toBe(true)
  })

  it('[IDN-26] does not delay the owner in a browser that signed in before, even at the same address', async () => {
    const browser = new Browser(identity.url)
    const again = async (password: string) => {
      const { url } = await startCodeFlow({
        config,
        redirectUri: `${identity.url}/callback`,
        parameters: { prompt: 'login' },
      })
      return await browser.submit(await browser.open(url), { email, password })
    }
    expect(isIn(await again(PASSWORD))).toBe(true)
    for (let i = 0; i < 20; i++) await attempt({ email, password: 'wrong' })
    expect((await attempt({ email, password: PASSWORD })).status).toBe(429)
    expect(isIn(await again(PASSWORD))).toBe(true)
    // Failures in a known browser are limited too.
    for (let i = 0; i < 5; i++) expect((await again('wrong')).status).toBe(400)
    expect((await again('wrong')).status).toBe(429)
  })

  it('[IDN-27] is slowed down if it has many addresses, and delays the owner only briefly', async () => {
    const from = async (n: number, password: string) => {
      address = `2001:db8:${n}:${people}::1`
      return await attempt({ email, password })
    }
    for (let i = 0; i < 30; i++) expect((await from(i, 'wrong')).status).toBe(400)
    address = '192.0.2.200'
    const pages = await Promise.all(Array.from({ length: 12 }, signInPage))
    const started = performance.now()
    const answers = await Promise.all(
      pages.map(({ browser, page }, i) => {
        address = `2001:db8:${1_000 + i}:${people}::1`
        return browser.submit(page, { email, password: 'wrong' })
      }),
    )
    const rounds = (performance.now() - started) / SLOW_DOWN_MS
    expect(rounds).toBeGreaterThanOrEqual(0.99)
    const refused = answers.filter(({ status }) => status === 429)
    // At most two attempts are admitted in each round of SLOW_DOWN_MS, however long it takes all requests to arrive.
    expect(answers.length - refused.length).toBeLessThanOrEqual(2 * Math.ceil(rounds))
    expect(refused.every(({ headers }) => headers.get('retry-after') === '1')).toBe(true)
    expect(isIn(await from(5_000, PASSWORD))).toBe(true)
    // Another account is not slowed down.
    const others = await Promise.all(
      Array.from({ length: 4 }, () => attempt({ email: `else${people}@example.com`, password: 'wrong' })),
    )
    expect(others.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  })

  it('[IDN-25] adds no rows for further accounts once its address has to wait', async () => {
    const { browser, page } = await signInPage()
    const query = (text: string) => test.database.session((tx) => tx.client.query(text))
    // Maintenance could delete rows of earlier attempts during the test and change the count, so they are deleted now.
    await query('delete from identity_attempts')
    const statuses = []
    for (let i = 0; i < 100; i++) {
      statuses.push((await browser.submit(page, { email: `spray${i}@example.com`, password: 'wrong' })).status)
    }
    expect(statuses.filter((status) => status === 400)).toHaveLength(80)
    expect(statuses.slice(80).every((status) => status === 429)).toBe(true)
    // One row for the address, and two for each of the 80 accounts that were tried before the address had to wait.
    expect((await query('select count(*)::int as n from identity_attempts')).rows).toEqual([{ n: 1 + 2 * 80 }])
  })

  it('is limited just as much when all attempts are concurrent', async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, signInPage))
    const answers = await Promise.all(
      pages.map(({ browser, page }) => browser.submit(page, { email, password: 'wrong' })),
    )
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(5)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(15)
  })

  it('gets the error “The service is busy”, not “Too many attempts”, while many passwords from its network wait to be hashed', async () => {
    const by = { key: address, isKnown: false }
    const { browser, page } = await signInPage()
    const passwords = createPasswords()
    const waiting = Promise.allSettled(Array.from({ length: 100 }, (_, i) => passwords.hash(`password ${i}`, by)))
    const answer = await browser.submit(page, { email, password: PASSWORD })
    expect([answer.status, answer.error]).toEqual([429, 'The service is busy. Wait 2 seconds and try again.'])
    await waiting
  })

  it('[IDN-28] has to wait after wrong secrets of a service account, while the right secret is accepted', async () => {
    const { clientId, clientSecret } = await identity.serviceAccounts.create({
      tenantId: 'org_t',
      name: 'n',
      roles: ['user'],
    })
    const tokenOf = async (secret: string) =>
      await fetch(`${identity.issuers.sandboxes}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      })
    for (let i = 0; i < 20; i++) expect((await tokenOf('wrong')).status).toBe(401)
    const refused = await tokenOf('wrong')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'too many wrong secrets',
    })
    expect((await tokenOf(clientSecret)).status).toBe(200)
    address = `203.0.113.${people}`
    expect((await tokenOf('wrong')).status).toBe(401)
  })

  it('is limited by failures only: the right password is accepted ten times', async () => {
    for (let i = 0; i < 10; i++) expect(isIn(await attempt({ email, password: PASSWORD }))).toBe(true)
  })

  it.each(['not an address', 'a\0b@example.com', 'a@b@c', `${'x'.repeat(300)}@example.com`])(
    'gets the usual response for the malformed email %j',
    async (odd) => {
      expect((await attempt({ email: odd, password: 'wrong' })).error).toBe('The email or the password is wrong.')
    },
  )
})
