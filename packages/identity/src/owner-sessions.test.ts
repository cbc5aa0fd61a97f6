import { sql } from '@storey/kit/database'
import type { TestDatabase } from '@storey/kit/testing'
import { createRealmVerifier } from '@storey/kit/tokens'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RecordOwner } from './accounts/accounts.ts'
import { Browser } from './testing/browser.ts'
import { discover, startCodeFlow } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

describe('a link for the owner of a sandbox', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({ database: test.database })
    await identity.developers.create({ id: 'dev_ann', email: 'Ann@example.com', organizationId: 'org_1' })
    for (const name of ['mall', 'office']) {
      await identity.shellClients.register({ tenantId: `org_${name}`, clientId: `shell-${name}` })
    }
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })

  const linkTo = async (name: string, path?: string, record?: RecordOwner) =>
    await identity.ownerSession({
      ...{ developerId: 'dev_ann', tenantId: `org_${name}`, clientId: `shell-${name}` },
      ...(path === undefined ? {} : { path }),
      ...(record === undefined ? {} : { record }),
    })
  /** Opens the shell. If the browser is signed in, `end.url` is the callback address of the shell. */
  const openShell = async (browser: Browser, name: string, headers: Record<string, string> = {}) => {
    const config = await discover(identity.issuers.sandboxes, `shell-${name}`)
    const flow = await startCodeFlow({ config, redirectUri: `http://${name}.localhost:4000/callback` })
    return { end: await browser.open(flow.url, headers), redeem: flow.redeem }
  }

  it('[IDN-38] signs the browser in to the shell as an administrator, without a password', async () => {
    const { url, expiresAt } = await linkTo('mall')
    expect(expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60_000)
    const browser = new Browser(identity.url)
    expect((await browser.open(url)).url.href).toBe('http://mall.localhost:4000/')
    const { end, redeem } = await openShell(browser, 'mall')
    expect(end.url.origin).toBe('http://mall.localhost:4000')
    const { access_token } = await redeem(end.url)
    expect(await createRealmVerifier(identity.issuers.sandboxes).verify(access_token)).toMatchObject({
      ...{ tenant_id: 'org_mall', email: 'ann@example.com', realm_access: { roles: ['admin'] } },
    })
    // The session is for this sandbox only.
    expect((await openShell(browser, 'office')).end.url.origin).toBe(identity.url)
    const again = await linkTo('mall')
    expect(again.url).not.toBe(url)
    expect(await identity.accounts.list('org_mall')).toHaveLength(1)
  })

  it('[IDN-38] works once, within a minute, and not for a HEAD request', async () => {
    const { url } = await linkTo('mall')
    const head = await fetch(url, { method: 'HEAD', redirect: 'manual' })
    expect(head.headers.getSetCookie().filter((cookie) => cookie.startsWith('storey_sandboxes='))).toEqual([])
    const both = await Promise.all([1, 2].map(() => fetch(url, { redirect: 'manual' })))
    expect(both.map(({ status }) => status).sort()).toEqual([303, 400])
    const used = await new Browser(identity.url).open(url)
    expect(used).toMatchObject({ status: 400, title: 'This link was used or has expired' })
    expect(used.text).toContain('Run <code>svc open</code> again')

    const late = await linkTo('mall')
    await test.database.run(
      sql`update identity_models set expires_at = now() - interval '1 second' where model = 'OwnerTicket'`,
    )
    expect((await fetch(late.url, { redirect: 'manual' })).status).toBe(400)
    expect((await fetch(`${late.url}x`, { redirect: 'manual' })).status).toBe(404)
  })

  it('[IDN-40] opens a page of the shell, and never a page of another origin', async () => {
    for (const path of ['/sandbox/board?storey=1#plan', '//evil.example', '/помещения']) {
      const { url } = await linkTo('mall', path)
      const target = (await fetch(url, { redirect: 'manual' })).headers.get('location')!
      expect(target).toBe(new URL(`http://mall.localhost:4000${path}`).href)
    }
  })

  it('[IDN-41] is available from the portal or with svc open, as the sign-in page says', async () => {
    const { end } = await openShell(new Browser(identity.url), 'mall')
    expect(end.title).toBe('Sign in to mall.localhost:4000')
    expect(end.text).toContain('Accounts of this sandbox sign in here.')
    expect(end.text).toContain(`href="${identity.url}/sandboxes/mall/console"`)
    expect(end.text).toContain('<code>svc open</code>')
    const { end: russian } = await openShell(new Browser(identity.url), 'mall', { 'accept-language': 'ru' })
    expect(russian.text).toContain('Здесь входят с учётной записью этой песочницы.')
  })

  it.each([
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'image' },
  ])(
    '[IDN-39] signs nobody in if it is opened from a page of another origin, or requested as an image: %j',
    async (headers) => {
      const { url } = await linkTo('mall')
      const refused = await fetch(url, { redirect: 'manual', headers })
      expect(refused.status).toBe(400)
      expect(refused.headers.getSetCookie().filter((cookie) => cookie.startsWith('storey_sandboxes='))).toEqual([])
      // The link can still be used.
      const direct = { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' }
      expect((await fetch(url, { redirect: 'manual', headers: direct })).status).toBe(303)
    },
  )

  it('[IDN-38] differs for each of several concurrent requests, which create one account in total', async () => {
    await identity.shellClients.register({ tenantId: 'org_school', clientId: 'shell-school' })
    const links = await Promise.all([1, 2, 3].map(() => linkTo('school')))
    expect(new Set(links.map(({ url }) => url)).size).toBe(3)
    expect(await identity.accounts.list('org_school')).toHaveLength(1)
  })

  it('[IDN-46] takes over an account with the owner’s email address: its password becomes invalid, its id is returned so that its tokens can be revoked, and the change is recorded', async () => {
    const ann = await identity.accounts.create({ tenantId: 'org_office', email: 'ann@example.com', roles: ['user'] })
    const other = new Browser(identity.url)
    const signedIn = await other.submit((await openShell(other, 'office')).end, {
      ...{ email: 'ann@example.com', password: ann.oneTimePassword },
    })
    expect(signedIn.title).toBe('Choose a password')
    const records: object[] = []
    const link = await linkTo(
      'office',
      '/',
      (action) => async (_tx, change) => void records.push({ action, ...change }),
    )
    expect(link.revokedAccountId).toBe(ann.id)
    expect(await identity.people.list('org_office')).toEqual([
      expect.objectContaining({ id: ann.id, roles: ['user', 'admin'], isOwner: true }),
    ])
    expect(records).toMatchObject([
      {
        action: 'account.password_reset',
        account: { id: ann.id },
        rolesBefore: ['user'],
        rolesAfter: ['user', 'admin'],
      },
    ])
    const refused = await other.submit((await openShell(other, 'office')).end, {
      ...{ email: 'ann@example.com', password: ann.oneTimePassword },
    })
    expect(refused.title).toBe('Sign in to office.localhost:4000')
    // The next link changes nothing.
    expect((await linkTo('office', '/', () => async () => void records.push({}))).revokedAccountId).toBeUndefined()
    expect(records).toHaveLength(1)
  })

  it('[IDN-46] signs in to an account that no administrator can change, and that is disabled together with the developer’s account', async () => {
    await linkTo('mall')
    const [account] = await identity.people.list('org_mall')
    const rules = { check: () => undefined, record: async () => undefined }
    const { people } = identity
    for (const change of [
      () => people.resetPassword('org_mall', account!.id, rules),
      () => people.setRoles('org_mall', account!.id, ['user'], rules),
      () => people.remove('org_mall', account!.id, rules),
    ]) {
      await expect(change()).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
    }
    const browser = new Browser(identity.url)
    await browser.open((await linkTo('mall')).url)
    const unused = await linkTo('mall')
    await test.database.transaction((tx) => identity.developers.setDisabled(tx, 'dev_ann', true))
    expect((await openShell(browser, 'mall')).end.url.origin).toBe(identity.url)
    expect((await fetch(unused.url, { redirect: 'manual' })).status).toBe(400)
    await test.database.transaction((tx) => identity.developers.setDisabled(tx, 'dev_ann', false))
    await browser.open((await linkTo('mall')).url)
    expect((await openShell(browser, 'mall')).end.url.origin).toBe('http://mall.localhost:4000')
  })

  it('[IDN-38] is refused after the sandbox is removed', async () => {
    const { url } = await linkTo('office')
    await identity.removeTenant('org_office')
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(400)
  })
})
