import { sql } from '@storey/kit/database'
import { createLog } from '@storey/kit/log'
import type { TestDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Browser } from './testing/browser.ts'
import { discover, startCodeFlow } from './testing/oauth.ts'
import { identityDatabase, type ServedIdentity, serveIdentity } from './testing/serve.ts'

describe('a realm', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  const stderr = vi.spyOn(process.stderr, 'write')
  beforeAll(async () => {
    test = await identityDatabase()
    const log = createLog({ level: 'warn', form: 'lines', name: 'test' })
    identity = await serveIdentity({ database: test.database, log })
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })

  it.each([
    ['GET', '/%E0%A4%A'],
    ['GET', '/interaction/%00'],
    ['GET', '/interaction/x'],
    ['POST', '/interaction/x/sign-in'],
    ['PUT', '/interaction/x'],
    ['GET', '/auth?client_id=%00&scope=%00'],
    ['GET', '/auth?client_id=a&client_id=b'],
    ['GET', '/auth/x'],
    ['GET', '/device/x'],
    ['GET', '/device?user_code=a&user_code=b'],
    ['POST', '/device'],
    ['POST', '/token'],
    ['POST', '/revoke'],
    ['POST', '/logout/confirm'],
    ['GET', '/logout?id_token_hint=x'],
    ['GET', '/userinfo'],
    ['DELETE', '/userinfo'],
    ['GET', '//evil.example/auth'],
    ['GET', '?x=1'],
    ['GET', ''],
  ])('answers the malformed request %s %s with neither a server error nor a redirect', async (method, path) => {
    for (const realm of ['developers', 'sandboxes'] as const) {
      for (const accept of ['text/html', 'application/json']) {
        const response = await fetch(`${identity.issuers[realm]}${path}`, {
          method,
          redirect: 'manual',
          headers: { accept },
          ...(method === 'POST' ? { body: new URLSearchParams({ a: '\0', token: '\0', refresh_token: '\0' }) } : {}),
        })
        expect(response.status).toBeLessThan(500)
        if (!path.startsWith('/device?')) expect(response.status).toBeGreaterThanOrEqual(400)
        expect(response.headers.get('location')).toBeNull()
      }
    }
    expect(stderr).not.toHaveBeenCalled()
  })

  it.each([
    ['GET', '/jwks/'],
    ['GET', '/JWKS'],
    ['GET', '/.Well-known/openid-configuration'],
    ['GET', '/.well-known/OpenID-configuration'],
    ['GET', '/auth/?client_id=svc-portal'],
    ['GET', '/Auth/x'],
    ['GET', '/device/'],
    ['POST', '/device/'],
    ['POST', '/DEVICE'],
    ['POST', '/device/auth/'],
    ['POST', '/device/AUTH'],
    ['POST', '/Token'],
    ['GET', '/LOGOUT'],
  ])('[IDN-35] answers %s %s with 404, since each path has one spelling', async (method, path) => {
    const body = method === 'POST' ? { body: new URLSearchParams({ client_id: 'svc-cli' }) } : {}
    const response = await fetch(`${identity.issuers.developers}${path}`, { method, redirect: 'manual', ...body })
    expect([response.status, await response.json()]).toEqual([404, { error: 'not_found' }])
  })

  it('[IDN-36] keeps sessions without an account for at most an hour', async () => {
    for (const path of ['/device', '/logout', '/logout?state=x']) {
      await fetch(`${identity.issuers.developers}${path}`, { redirect: 'manual' })
    }
    const rows = await test.database.rows<{ model: string; minutes: number }>(
      sql`select model, extract(epoch from expires_at - now())::float8 / 60 as minutes from identity_models
        where model = 'Session' and account_id is null`,
    )
    expect(rows.length).toBeGreaterThanOrEqual(3)
    for (const { minutes } of rows) expect(minutes).toBeLessThanOrEqual(60)
  })

  it('refuses a form that is too large, and a body that is not a form', async () => {
    const config = await discover(identity.issuers.developers, 'svc-portal')
    const { url } = await startCodeFlow({ config, redirectUri: `${identity.url}/callback` })
    const browser = new Browser(identity.url)
    const page = await browser.open(url)
    const large = await browser.submit(page, { password: 'x'.repeat(20_000) })
    expect([large.status, large.title]).toEqual([400, 'This request is not valid'])
    const action = new URL(page.forms[0]!.action, page.url)
    const json = await browser.post(action, {}, { 'content-type': 'application/json' })
    expect(json.status).toBe(400)
  })
})
