import * as oauth from 'openid-client'
import { describe, expect, it } from 'vitest'
import { Browser } from '../../packages/identity/src/testing/browser.ts'
import { api, newDeveloper, systemUrl } from '../system/shared.ts'

const issuer = `${systemUrl}/realms/developers`

/** Confirms the code in a browser. The developer signs in for the first time and sets a new password. */
async function approve(link: string, email: string, oneTimePassword: string): Promise<void> {
  const browser = new Browser(systemUrl)
  const confirm = await browser.submit(await browser.open(link))
  const signIn = await browser.submit(confirm, { confirm: 'yes' })
  const change = await browser.submit(signIn, { email, password: oneTimePassword })
  const fields = Object.keys(change.forms[0]?.fields ?? {})
  const own = Object.fromEntries(
    fields.filter((name) => /password|repeat|again/i.test(name)).map((name) => [name, 'a password of my own']),
  )
  const end = await browser.submit(change, own)
  expect(end.status).toBe(200)
}

describe('a login from the command line', () => {
  it('[IDN-03, IDN-07, IDN-08, IDN-15, IDN-17, KEY-11] gets a code, tokens and refreshed tokens, and revokes them', async () => {
    const { email, oneTimePassword } = await newDeveloper()
    const config = await oauth.discovery(new URL(issuer), 'svc-cli', undefined, oauth.None(), {
      execute: [oauth.allowInsecureRequests],
    })
    const device = await oauth.initiateDeviceAuthorization(config, { scope: 'openid email offline_access' })
    expect(device.user_code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
    expect(device.verification_uri_complete).toContain(device.user_code)
    await approve(device.verification_uri_complete!, email, oneTimePassword!)
    const tokens = await oauth.pollDeviceAuthorizationGrant(config, device)
    expect(tokens.refresh_token).toBeDefined()

    expect((await api(tokens.access_token, '/api/v1/sandboxes')).status).toBe(200)
    expect((await api(tokens.access_token, '/api/v1/keys', { body: { label: 'x' } })).status).toBe(403)
    expect((await api(tokens.access_token, '/api/v1/keys')).status).toBe(403)
    const { sub } = (await oauth.fetchUserInfo(config, tokens.access_token, oauth.skipSubjectCheck)) as { sub: string }
    expect(sub).toMatch(/^dev_/)

    const again = await oauth.refreshTokenGrant(config, tokens.refresh_token!)
    expect(again.refresh_token).not.toBe(tokens.refresh_token)
    expect((await api(again.access_token, '/api/v1/sandboxes')).status).toBe(200)
    await oauth.tokenRevocation(config, again.refresh_token!)
    await expect(oauth.refreshTokenGrant(config, again.refresh_token!)).rejects.toThrow()
  })
})
