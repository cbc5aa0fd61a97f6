import { movableClock } from '@storey/kit/clock'
import type { TestDatabase } from '@storey/kit/testing'
import type * as oauth from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Browser, type Shown } from './testing/browser.ts'
import { discover, PASSWORD, startCodeFlow } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

const MINUTE_MS = 60_000

describe('guessing passwords', () => {
  const clock = movableClock()
  let test: TestDatabase
  let identity: ServedIdentity
  let config: oauth.Configuration
  let address = ''
  let people = 0
  let email = ''
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({ database: test.database, clock, addressOf: () => address })
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
  const isIn = (shown: Shown) => shown.url.pathname === '/callback'
  /** What a person, or a program, can see of an answer. */
  const seen = ({ status, text }: Shown, typed: string) => [
    status,
    text.replaceAll(typed, 'EMAIL').replace(/interaction\/[\w-]+|value="[\w-]{43}"/g, '…'),
  ]

  it('gets the same answer for nobody as for somebody, and the same wait', async () => {
    const nobody = `nobody${people}@example.com`
    for (let i = 0; i < 9; i++) {
      const [one, other] = [
        await attempt({ email, password: 'wrong' }),
        await attempt({ email: nobody, password: 'wrong' }),
      ]
      expect(seen(one, email)).toEqual(seen(other, nobody))
      expect(one.status).toBe(i < 8 ? 400 : 429)
    }
  })

  it('takes as long for nobody as for somebody', async () => {
    const times = { [email]: [] as number[], 'nobody@example.com': [] as number[] }
    for (let i = 0; i < 5; i++) {
      for (const [who, list] of Object.entries(times)) {
        const { browser, page } = await signInPage()
        const start = performance.now()
        await browser.submit(page, { email: who, password: 'wrong' })
        list.push(performance.now() - start)
      }
    }
    const [known, unknown] = Object.values(times).map((list) => list.toSorted((a, b) => a - b)[2]!)
    expect(known! / unknown!).toBeGreaterThan(0.5)
    expect(known! / unknown!).toBeLessThan(2)
  })

  it('ends after eight failures from one address, also for the right password, until the time is over', async () => {
    for (let i = 0; i < 8; i++) expect((await attempt({ email, password: 'wrong' })).status).toBe(400)
    const blocked = await attempt({ email, password: PASSWORD })
    expect([blocked.status, blocked.complaint]).toEqual([429, 'Too many attempts. Wait 15 minutes and try again.'])
    expect(Number(blocked.headers.get('retry-after'))).toBe(900)
    clock.advance(14 * MINUTE_MS)
    expect((await attempt({ email, password: PASSWORD })).complaint).toBe(
      'Too many attempts. Wait 1 minute and try again.',
    )
    clock.advance(MINUTE_MS)
    expect(isIn(await attempt({ email, password: PASSWORD }))).toBe(true)
  })

  it('does not lock the person out who sits elsewhere', async () => {
    for (let i = 0; i < 9; i++) await attempt({ email, password: 'wrong' })
    address = `203.0.113.${people}`
    expect(isIn(await attempt({ email, password: PASSWORD }))).toBe(true)
  })

  it('lets no more through when all come at once', async () => {
    const pages = await Promise.all(Array.from({ length: 20 }, signInPage))
    const answers = await Promise.all(
      pages.map(({ browser, page }) => browser.submit(page, { email, password: 'wrong' })),
    )
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(8)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(12)
  })

  it('does not count what was right', async () => {
    for (let i = 0; i < 10; i++) expect(isIn(await attempt({ email, password: PASSWORD }))).toBe(true)
  })

  it.each(['not an address', 'a\0b@example.com', 'a@b@c', `${'x'.repeat(300)}@example.com`])(
    'answers %j as any other',
    async (odd) => {
      expect((await attempt({ email: odd, password: 'wrong' })).complaint).toBe('The email or the password is wrong.')
    },
  )
})
