import * as oauth from 'openid-client'
import { describe, expect, it } from 'vitest'
import { approve } from '../cli/approve.ts'
import { requestCode, toolClient } from '../system/device-login.ts'
import { api, newDeveloper } from '../system/shared.ts'

describe('a login from the command line', () => {
  it('[IDN-03, IDN-07, IDN-08, IDN-15, IDN-17, KEY-11] gets a code, tokens and refreshed tokens, and revokes them', async () => {
    const developer = await newDeveloper()
    const config = await toolClient()
    const device = await requestCode(config)
    expect(device.user_code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
    expect(device.verification_uri_complete).toContain(device.user_code)
    await approve(device.verification_uri_complete!, developer, true)
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
