import { sql, type Tx } from '@storey/kit/database'
import type { TestDatabase } from '@storey/kit/testing'
import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Browser, type BrowserPage } from './testing/browser.ts'
import { discover, PASSWORD, refusal, startCodeFlow } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

const EMAIL = 'ann@example.com'

describe('[IDN-48] when all sessions of an account are ended', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  let tenants = 0
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({ database: test.database })
    await identity.developers.create({ id: 'dev_ann', email: EMAIL, organizationId: 'org_1', password: PASSWORD })
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })

  const rules = { check: () => undefined, record: async () => undefined }

  /** A sandbox with an account that has chosen a password. */
  async function newSandbox() {
    const tenantId = `org_mall${tenants}`
    const clientId = `shell-mall${tenants++}`
    await identity.shellClients.register({ tenantId, clientId })
    const { id, oneTimePassword } = await identity.accounts.create({ tenantId, email: EMAIL, roles: ['user'] })
    const config = await discover(identity.issuers.sandboxes, clientId)
    const redirectUri = `http://${clientId.slice('shell-'.length)}.localhost:4000/callback`
    const open = async (browser: Browser) => {
      const { url, redeem } = await startCodeFlow({ config, redirectUri })
      return { page: await browser.open(url), redeem }
    }
    const browser = new Browser(identity.url)
    const choose = await browser.submit((await open(browser)).page, { email: EMAIL, password: oneTimePassword })
    const end = await browser.submit(choose, { password: PASSWORD, repeated: PASSWORD })
    expect(end.url.pathname).toBe('/callback')
    return { tenantId, clientId, accountId: id, config, open }
  }

  async function portal(browser: Browser) {
    const config = await discover(identity.issuers.developers, 'svc-portal')
    const { url, redeem } = await startCodeFlow({ config, redirectUri: `${identity.url}/callback` })
    return { page: await browser.open(url), redeem }
  }

  async function disableAndEnable(tx: Tx): Promise<void> {
    await identity.developers.setDisabled(tx, 'dev_ann', true)
    await identity.developers.setDisabled(tx, 'dev_ann', false)
  }

  /**
   * Starts a request, and calls `disableAndEnable` when the request has read the account and waits to write what the
   * provider stores.
   */
  async function endDuring<T>(start: () => Promise<T>): Promise<T> {
    const started = await test.database.transaction(async (tx) => {
      await tx.run(sql`lock table identity_models in share row exclusive mode`)
      const request = start()
      await expect
        .poll(() => tx.run(sql`select 1 from pg_locks where not granted and relation = 'identity_models'::regclass`))
        .toBeGreaterThan(0)
      await disableAndEnable(tx)
      return { request }
    })
    return await started.request
  }

  const isPortalSignIn = ({ title }: BrowserPage) => title.startsWith('Sign in')

  it('by a reset of the password, a sign-in that was not completed gets the sign-in page, and one with the new password works', async () => {
    const { tenantId, accountId, config, open } = await newSandbox()
    const holder = new Browser(identity.url)
    const held = await holder.submitOnly((await open(holder)).page, { email: EMAIL, password: PASSWORD })
    const { oneTimePassword } = await identity.people.resetPassword(tenantId, accountId, rules)
    expect((await holder.open(held)).title).toMatch(/^Sign in to mall/)
    expect((await open(holder)).page.title).toMatch(/^Sign in to mall/)

    const browser = new Browser(identity.url)
    const { page, redeem } = await open(browser)
    const choose = await browser.submit(page, { email: EMAIL, password: oneTimePassword })
    const end = await browser.submit(choose, { password: 'another long password', repeated: 'another long password' })
    let tokens = await redeem(end.url)
    for (const _ of [1, 2]) tokens = await oauth.refreshTokenGrant(config, tokens.refresh_token!)
    expect((await open(browser)).page.url.pathname).toBe('/callback')
  })

  it('because the owner of the sandbox takes the account over, a sign-in that was not completed gets the sign-in page, and the link of the owner works', async () => {
    const { tenantId, clientId, accountId, open } = await newSandbox()
    const holder = new Browser(identity.url)
    const held = await holder.submitOnly((await open(holder)).page, { email: EMAIL, password: PASSWORD })
    const link = await identity.ownerSession({ developerId: 'dev_ann', tenantId, clientId })
    expect(link.revokedAccountId).toBe(accountId)
    expect((await holder.open(held)).title).toMatch(/^Sign in to mall/)

    for (const { url } of [link, await identity.ownerSession({ developerId: 'dev_ann', tenantId, clientId })]) {
      const owner = new Browser(identity.url)
      await owner.open(url)
      const { page, redeem } = await open(owner)
      expect((await redeem(page.url)).access_token).toBeDefined()
    }
  })

  it('by disabling, a sign-in that was not completed gets the sign-in page even after the account is enabled again', async () => {
    const holder = new Browser(identity.url)
    const held = await holder.submitOnly((await portal(holder)).page, { email: EMAIL, password: PASSWORD })
    await test.database.transaction(disableAndEnable)
    const page = await holder.open(held)
    expect(isPortalSignIn(page)).toBe(true)
    expect((await holder.submit(page, { email: EMAIL, password: PASSWORD })).url.pathname).toBe('/callback')
  })

  it('while the password of a sign-in is being checked, this sign-in gets the sign-in page', async () => {
    const browser = new Browser(identity.url)
    const { page } = await portal(browser)
    const end = await endDuring(() => browser.submit(page, { email: EMAIL, password: PASSWORD }))
    expect(isPortalSignIn(end)).toBe(true)
  })

  it('while a request uses a session, neither the code of that request nor the session is valid', async () => {
    const browser = new Browser(identity.url)
    await browser.submit((await portal(browser)).page, { email: EMAIL, password: PASSWORD })
    const { page, redeem } = await endDuring(() => portal(browser))
    expect(page.url.pathname).toBe('/callback')
    expect(await refusal(redeem(page.url))).toBe('invalid_grant')
    expect(isPortalSignIn((await portal(browser)).page)).toBe(true)
  })
})
