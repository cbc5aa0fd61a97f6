import { QUOTAS } from '@storey/contract'
import { sql } from '@storey/kit/database'
import type { TestDatabase } from '@storey/kit/testing'
import { createRealmVerifier } from '@storey/kit/tokens'
import { decodeJwt } from 'jose'
import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Browser } from './testing/browser.ts'
import { discover, PASSWORD, refusal, startCodeFlow } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

describe('the sandboxes realm', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({ database: test.database })
    for (const name of ['mall', 'office']) {
      await identity.shellClients.register({ tenantId: `org_${name}`, clientId: `shell-${name}` })
    }
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })

  const shellOf = async (name: string) => {
    const config = await discover(identity.issuers.sandboxes, `shell-${name}`)
    return { config, ...(await startCodeFlow({ config, redirectUri: `http://${name}.localhost:4000/callback` })) }
  }
  /** Signs in for the first time, with the one-time password. */
  const firstSignIn = async (
    name: string,
    email: string,
    roles: 'manager'[] = ['manager'],
    browser = new Browser(identity.url),
  ) => {
    const account = await identity.accounts.create({ tenantId: `org_${name}`, email, roles })
    const shell = await shellOf(name)
    const signIn = await browser.open(shell.url)
    const choose = await browser.submit(signIn, { email, password: account.oneTimePassword })
    const end = await browser.submit(choose, { password: PASSWORD, repeated: PASSWORD })
    return { account, browser, shell, signIn, choose, end, tokens: await shell.redeem(end.url) }
  }

  describe('a shell', () => {
    it('[IDN-05, IDN-14, IDN-21] signs an account in on its own origin, and gets tenant and roles', async () => {
      const { account, tokens, signIn, end } = await firstSignIn('mall', 'Bob@example.com')
      expect(signIn.title).toBe('Sign in to mall.localhost:4000')
      expect(signIn.headers.get('content-security-policy')).toContain("form-action 'self' http://mall.localhost:4000")
      expect(end.url.origin).toBe('http://mall.localhost:4000')
      const claims = await createRealmVerifier(identity.issuers.sandboxes).verify(tokens.access_token)
      expect(claims).toMatchObject({
        sub: account.id,
        tenant_id: 'org_mall',
        realm_access: { roles: ['manager'] },
        azp: 'shell-mall',
        email: 'bob@example.com',
      })
    })

    it('requires a new password at the first sign-in, after which the one-time password no longer works', async () => {
      const { account, choose, browser } = await firstSignIn('mall', 'carol@example.com')
      expect(choose.title).toBe('Choose a password')
      const shell = await shellOf('mall')
      const page = await new Browser(identity.url).open(shell.url)
      const old = await new Browser(identity.url).submit(page, {
        email: account.email,
        password: account.oneTimePassword,
      })
      expect(old.title).not.toBe('Choose a password')
      const replay = await browser.submit(choose, { password: 'another long one', repeated: 'another long one' })
      expect(replay.status).toBe(400)
    })

    it.each([
      ['short', 'short', 'The password must have at least 10 characters.'],
      ['a long password', 'another password', 'The two passwords differ.'],
      ['dave-and-more', 'dave-and-more', 'The password must not contain the name in your email address.'],
      ['aaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaa', 'The password must have at least 4 different characters.'],
    ])('refuses the new password %s, repeated as %s', async (password, repeated, error) => {
      const email = `dave@${Math.random()}.example.com`
      const { oneTimePassword } = await identity.accounts.create({ tenantId: 'org_mall', email, roles: [] })
      const browser = new Browser(identity.url)
      const choose = await browser.submit(await browser.open((await shellOf('mall')).url), {
        email,
        password: oneTimePassword,
      })
      const refused = await browser.submit(choose, { password, repeated })
      expect([refused.status, refused.error]).toEqual([400, error])
      const same = await browser.submit(refused, { password: oneTimePassword, repeated: oneTimePassword })
      expect(same.error).toBe('Choose a password other than the one you were given.')
      expect((await browser.submit(same, { password: PASSWORD, repeated: PASSWORD })).url.pathname).toBe('/callback')
    })

    it('is the only target of the links on the page of an expired sign-in', async () => {
      const page = await new Browser(identity.url).open((await shellOf('mall')).url)
      const otherBrowser = new Browser(identity.url)
      const over = await otherBrowser.post(new URL(page.forms[0]!.action, page.url), {})
      expect([over.title, over.links]).toEqual(['This sign-in has expired', ['http://mall.localhost:4000']])
      expect((await otherBrowser.open(page.url)).links).toEqual(over.links)
      const old = `${identity.issuers.sandboxes}/interaction/long-ago`
      expect((await otherBrowser.open(`${old}?client_id=shell-mall`)).links).toEqual(over.links)
      for (const query of [
        '',
        '?client_id=shell-none',
        '?client_id=https://evil.example',
        '?redirect_uri=https://evil.example',
        '?client_id=a&client_id=shell-mall',
      ]) {
        const lost = await otherBrowser.open(old + query)
        expect([lost.title, lost.links]).toEqual(['This sign-in has expired', []])
      }
    })

    it('accepts neither the session nor the password of an account of another tenant', async () => {
      const { browser, shell, tokens } = await firstSignIn('mall', 'erin@example.com')
      const office = await shellOf('office')
      const page = await browser.open(office.url)
      expect(page.title).toBe('Sign in to office.localhost:4000')
      const refused = await browser.submit(page, { email: 'erin@example.com', password: PASSWORD })
      expect(refused.error).toBe('The email or the password is wrong.')
      expect(await refusal(oauth.refreshTokenGrant(shell.config, tokens.refresh_token!))).toBeUndefined()
    })

    it('stays signed in when the same browser signs in to the shell of another tenant', async () => {
      const mall = await firstSignIn('mall', 'frank@example.com')
      const office = await firstSignIn('office', 'frank@example.com', ['manager'], mall.browser)
      expect(office.tokens.claims()?.sub).toBe(office.account.id)
      expect(office.account.id).not.toBe(mall.account.id)
      for (const { shell, tokens } of [mall, office]) {
        expect(await refusal(oauth.refreshTokenGrant(shell.config, tokens.refresh_token!))).toBeUndefined()
      }
    })

    it('may request user info and tokens from its own origin only', async () => {
      const { shell, tokens } = await firstSignIn('mall', 'grace@example.com')
      const ask = (origin: string) =>
        fetch(`${identity.issuers.sandboxes}/userinfo`, {
          headers: { authorization: `Bearer ${tokens.access_token}`, origin },
        })
      expect((await ask('http://mall.localhost:4000')).headers.get('access-control-allow-origin')).toBe(
        'http://mall.localhost:4000',
      )
      expect((await ask('http://office.localhost:4000')).headers.get('access-control-allow-origin')).toBeNull()
      const refresh = await fetch(shell.config.serverMetadata().token_endpoint!, {
        method: 'POST',
        headers: { origin: 'http://office.localhost:4000' },
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: 'shell-mall',
          refresh_token: tokens.refresh_token!,
        }),
      })
      expect([refresh.status, refresh.headers.get('access-control-allow-origin')]).toEqual([400, null])
    })

    it('cannot be registered by another tenant', async () => {
      await expect(
        identity.shellClients.register({ tenantId: 'org_office', clientId: 'shell-mall' }),
      ).rejects.toMatchObject({ code: 'CONFLICT' })
      await identity.shellClients.register({ tenantId: 'org_mall', clientId: 'shell-mall' })
    })

    it('[IDN-32] signs in at its current origin only, after the base domain has changed', async () => {
      const moved = await serveIdentity({ database: test.database, baseDomain: 'sandboxes.example' })
      const config = await discover(moved.issuers.sandboxes, 'shell-mall')
      const browser = new Browser(moved.url)
      const opened = async (redirectUri: string) =>
        await browser.open((await startCodeFlow({ config, redirectUri })).url)
      const page = await opened('http://mall.sandboxes.example:4000/callback')
      expect(page.title).toBe('Sign in to mall.sandboxes.example:4000')
      expect((await opened('http://mall.localhost:4000/callback')).status).toBe(400)
      await moved.stop()
    })

    it('[IDN-31] gets no token for an unknown resource', async () => {
      const { browser, shell } = await firstSignIn('mall', 'resource@example.com')
      const ask = async (resource: string) => {
        const { url, redeem } = await startCodeFlow({
          config: shell.config,
          redirectUri: 'http://mall.localhost:4000/callback',
          parameters: { resource },
        })
        return { end: await browser.open(url), redeem }
      }
      const refused = await ask('https://evil.example/api')
      expect(refused.end.url.searchParams.get('error')).toBe('invalid_target')
      const { end, redeem } = await ask(identity.audiences.sandboxes)
      expect(decodeJwt((await redeem(end.url)).access_token)).toMatchObject({ aud: identity.audiences.sandboxes })

      const { clientId, clientSecret } = await identity.serviceAccounts.create({
        tenantId: 'org_mall',
        name: 'n',
        roles: ['user'],
      })
      const bot = await discover(identity.issuers.sandboxes, clientId, oauth.ClientSecretBasic(clientSecret))
      for (const resource of [
        'https://evil.example/api',
        `${identity.audiences.sandboxes}/`,
        identity.audiences.developers,
      ]) {
        expect(await refusal(oauth.clientCredentialsGrant(bot, { resource })), resource).toBe('invalid_target')
      }
      const { access_token } = await oauth.clientCredentialsGrant(bot)
      expect(decodeJwt(access_token)).toMatchObject({ aud: identity.audiences.sandboxes })
    })
  })

  describe('accounts', () => {
    it('are listed by tenant without secrets, and a tenant has at most one account with the same email address', async () => {
      const account = { tenantId: 'org_list', email: 'Heidi@example.com', roles: ['user', 'admin', 'user'] as const }
      const { id } = await identity.accounts.create({ ...account, roles: [...account.roles] })
      expect(await identity.accounts.list('org_list')).toEqual([
        { id, email: 'heidi@example.com', roles: ['user', 'admin'] },
      ])
      await expect(identity.accounts.create({ ...account, roles: [] })).rejects.toMatchObject({ code: 'CONFLICT' })
      await expect(identity.accounts.create({ ...account, email: 'nobody' })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
      })
    })

    it('[QTA-01] never exceed the quota, even when created concurrently', async () => {
      const { database } = test
      const tenantId = 'org_full'
      await database.run(sql`insert into identity_accounts
          (realm, id, organization_id, email, roles, password, password_is_one_time, created_at)
        select 'sandboxes', gen_random_uuid(), ${tenantId}, i || '@example.com', '{}', 'x', false, now()
        from generate_series(3, ${QUOTAS.accounts.limit}) i`)
      const people = await Promise.allSettled(
        ['a', 'b', 'c', 'd'].map((name) =>
          identity.accounts.create({ tenantId, email: `${name}@example.com`, roles: ['user'] }),
        ),
      )
      expect(people.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
      expect(people.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { status: 429, members: { quota: 'accounts', limit: 200, used: 200 } },
      })
      const programs = await Promise.allSettled(
        Array.from({ length: 110 }, () => identity.serviceAccounts.create({ tenantId, name: 'n', roles: ['user'] })),
      )
      expect(programs.filter(({ status }) => status === 'fulfilled')).toHaveLength(QUOTAS.serviceAccounts.limit)
      await identity.serviceAccounts.create({ tenantId: 'org_other', name: 'n', roles: ['user'] })
    })

    it('are removed with their refresh tokens, and only by their own tenant', async () => {
      const { account, shell, tokens } = await firstSignIn('mall', 'ivan@example.com')
      expect(await identity.accounts.remove('org_office', account.id)).toBe(false)
      expect(await identity.accounts.remove('org_mall', account.id)).toBe(true)
      expect(await refusal(oauth.refreshTokenGrant(shell.config, tokens.refresh_token!))).toBe('invalid_grant')
      expect(await refusal(oauth.fetchUserInfo(shell.config, tokens.access_token, account.id))).toBeDefined()
    })
  })

  describe('service accounts', () => {
    const make = () => identity.serviceAccounts.create({ tenantId: 'org_mall', name: 'importer', roles: ['manager'] })

    it.each([
      ['client_secret_basic', oauth.ClientSecretBasic],
      ['client_secret_post', oauth.ClientSecretPost],
    ])('get tokens by %s', async (_, method) => {
      const { id, clientId, clientSecret } = await make()
      const config = await discover(identity.issuers.sandboxes, clientId, method(clientSecret))
      const { access_token, refresh_token, expires_in } = await oauth.clientCredentialsGrant(config)
      expect([refresh_token, expires_in]).toEqual([undefined, 600])
      expect(await createRealmVerifier(identity.issuers.sandboxes).verify(access_token)).toMatchObject({
        sub: id,
        azp: clientId,
        tenant_id: 'org_mall',
        realm_access: { roles: ['manager'] },
      })
    })

    it('are refused with a wrong secret, without a secret, and after their removal', async () => {
      const { id, clientId, clientSecret } = await make()
      const grant = async (auth: string | oauth.ClientAuth) =>
        refusal(oauth.clientCredentialsGrant(await discover(identity.issuers.sandboxes, clientId, auth)))
      expect(await grant(`${clientSecret}x`)).toBe('invalid_client')
      expect(await grant(oauth.None())).toBe('invalid_client')
      expect(await identity.serviceAccounts.remove('org_office', id)).toBe(false)
      expect(await grant(clientSecret)).toBeUndefined()
      expect(await identity.serviceAccounts.remove('org_mall', id)).toBe(true)
      expect(await grant(clientSecret)).toBe('invalid_client')
    })

    it('are listed without their secrets', async () => {
      const { id, clientId } = await identity.serviceAccounts.create({ tenantId: 'org_quiet', name: 'sync', roles: [] })
      expect(await identity.serviceAccounts.list('org_quiet')).toEqual([{ id, name: 'sync', roles: [], clientId }])
    })

    it('are unknown in the developers realm', async () => {
      const { clientId, clientSecret } = await make()
      const config = await discover(identity.issuers.developers, clientId, clientSecret)
      expect(await refusal(oauth.clientCredentialsGrant(config))).toBe('invalid_client')
    })
  })

  it('[SBX-49] removes everything of one tenant and nothing of the others', async () => {
    const { shell, tokens, account } = await firstSignIn('mall', 'judy@example.com')
    const other = await firstSignIn('office', 'judy@example.com')
    const machine = await identity.serviceAccounts.create({ tenantId: 'org_mall', name: 'm', roles: [] })
    await identity.removeTenant('org_mall')
    expect(await refusal(oauth.refreshTokenGrant(shell.config, tokens.refresh_token!))).toBe('invalid_client')
    const config = await discover(identity.issuers.sandboxes, machine.clientId, machine.clientSecret)
    expect(await refusal(oauth.clientCredentialsGrant(config))).toBe('invalid_client')
    expect(await identity.accounts.list('org_mall')).toEqual([])
    expect(await identity.serviceAccounts.list('org_mall')).toEqual([])
    expect(await identity.accounts.remove('org_mall', account.id)).toBe(false)
    expect(await refusal(oauth.refreshTokenGrant(other.shell.config, other.tokens.refresh_token!))).toBeUndefined()
  })
})
