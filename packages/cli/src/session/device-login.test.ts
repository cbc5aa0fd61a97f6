import { connect } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { type Answer, scriptedService } from '../testing/scripted-service.ts'
import { newHome, runTool, testClock } from '../testing/test-context.ts'
import { awaitApproval, type DeviceCode } from './device-login.ts'

const code: DeviceCode = {
  ...{ deviceCode: 'device', userCode: 'ABCD-EFGH', verificationUri: 'http://x/device', expiresInS: 600, intervalS: 7 },
  verificationUriComplete: undefined,
}
const pending = { status: 400, json: { error: 'authorization_pending' } }
const tokens = {
  json: { access_token: 'secret-access.a.b', token_type: 'bearer', refresh_token: 'secret-refresh', expires_in: 600 },
}

async function approval(answers: readonly Answer[], overrides: Partial<DeviceCode> = {}) {
  let nth = 0
  const { url, received } = await scriptedService(() => answers[Math.min(nth++, answers.length - 1)]!)
  const clock = testClock()
  const realm = { issuer: url, token_endpoint: `${url}/token` }
  return { received, clock, session: awaitApproval(connect, realm, 'svc-cli', { ...code, ...overrides }, clock) }
}

describe('waiting for the browser', () => {
  it('polls at the interval of the realm', async () => {
    const { session, clock, received } = await approval([pending, pending, tokens])
    expect(await session).toMatchObject({ accessToken: 'secret-access.a.b', refreshToken: 'secret-refresh' })
    expect(clock.slept).toEqual([7000, 7000, 7000])
    expect(new URLSearchParams(received[0]!.body).get('client_id')).toBe('svc-cli')
  })

  it('polls more slowly after slow_down, and while the network is down', async () => {
    const slow = { status: 400, json: { error: 'slow_down' } }
    const slowed = await approval([slow, pending, tokens])
    await slowed.session
    expect(slowed.clock.slept).toEqual([7000, 12_000, 12_000])
    const away = await approval(['cut', { status: 503 }, tokens])
    await away.session
    expect(away.clock.slept).toEqual([7000, 14_000, 28_000])
  })

  it('ends when the code expires, on a refusal, on an unexpected error, and if there is no refresh token', async () => {
    const late = await approval([pending], { expiresInS: 20 })
    await expect(late.session).rejects.toMatchObject({ code: 'LOGIN_EXPIRED' })
    expect(late.clock.slept).toEqual([7000, 7000])
    const ends: [string, string][] = [
      ['expired_token', 'LOGIN_EXPIRED'],
      ['access_denied', 'LOGIN_DENIED'],
      ['invalid_client', 'LOGIN_REFUSED'],
    ]
    for (const [error, expected] of ends) {
      const { session } = await approval([{ status: 400, json: { error } }])
      await expect(session).rejects.toMatchObject({ code: expected, exitCode: 1 })
    }
    const short = await approval([{ json: { access_token: 'a.b.c', token_type: 'bearer', expires_in: 1 } }])
    await expect(short.session).rejects.toMatchObject({ code: 'NO_OFFLINE_ACCESS' })
  })
})

describe('login', () => {
  it('[CLI-04] requests offline_access from the developers realm, and shows the code and the address', async () => {
    const { url, received } = await scriptedService(({ path, headers }) => {
      const issuer = `http://${headers.host}/realms/developers`
      if (path === '/config.json') return { status: 404 }
      if (path.endsWith('openid-configuration')) {
        return {
          json: {
            issuer,
            token_endpoint: `${issuer}/token`,
            device_authorization_endpoint: `${issuer}/device/auth`,
            revocation_endpoint: `${issuer}/revoke`,
          },
        }
      }
      if (path.endsWith('/token')) return tokens
      const link = `${issuer}/device`
      const shown = { user_code: 'ABCD-EFGH', verification_uri: link, verification_uri_complete: `${link}?c=ABCD` }
      return { json: { device_code: 'secret-device', expires_in: 600, interval: 5, ...shown } }
    })
    const env = { ...newHome(), SVC_SANDBOX_API_URL: url }
    const { code, stdout, stderr } = await runTool(['login'], { env })
    expect(code).toBe(0)
    expect(stderr).toContain('ABCD-EFGH')
    expect(stderr).toContain(`${url}/realms/developers/device?c=ABCD`)
    expect(stdout).toContain(`Signed in to ${url}`)
    expect(stdout + stderr).not.toContain('secret')
    const start = received.find(({ path }) => path.endsWith('/device/auth'))!
    expect(new URLSearchParams(start.body).get('scope')!.split(' ')).toContain('offline_access')
    const json = await runTool(['login', '--format=json'], { env })
    expect(JSON.parse(json.stdout)).toMatchObject({ service: url })
    expect(JSON.parse(json.stderr)).toMatchObject({ userCode: 'ABCD-EFGH' })
    // The second login revokes the session of the first.
    const revoked = received.filter(({ path }) => path.endsWith('/revoke'))
    expect(revoked.map(({ body }) => new URLSearchParams(body).get('token'))).toEqual(['secret-refresh'])
  })

  it('[CLI-33] exits with 2 and a message when the service is unreachable, and so does whoami', async () => {
    for (const words of [['login'], ['whoami', '--token', 'a.b.c']]) {
      const { code, stderr } = await runTool(words, { env: { SVC_API_URL: 'http://127.0.0.1:1' } })
      expect(code).toBe(2)
      expect(stderr).toMatch(/^svc: The service at http:\/\/127\.0\.0\.1:1 \(from SVC_API_URL\) is unreachable.*\n$/)
    }
  })

  it('uses the realm of the service, and refuses a discovery document of another issuer', async () => {
    const realm = await scriptedService(() => ({ json: { issuer: 'http://elsewhere', token_endpoint: 'http://x' } }))
    const config = { clientId: 'svc-portal', issuer: realm.url }
    const { url } = await scriptedService(() => ({ json: config }))
    const { code, stderr } = await runTool(['login'], { env: { SVC_SANDBOX_API_URL: url } })
    expect(code).toBe(1)
    expect(stderr).toContain(`no identity provider at ${realm.url}`)
    expect(realm.received).toHaveLength(1)
    const broken = await scriptedService(() => ({ json: { ...config, issuer: 'nowhere' } }))
    const refused = await runTool(['login'], { env: { SVC_SANDBOX_API_URL: broken.url } })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('no identity provider at nowhere') })
  })

  it('explains what to do if the address belongs to a sandbox, or to a service without sign-in', async () => {
    const [shell, closed] = [
      { clientId: 'shell-mall', sandboxId: 'sbx_1', issuer: 'http://x', publicUrl: 'http://home' },
      { clientId: 'svc-portal', issuer: null },
    ]
    for (const [config, expected] of [
      [shell, '--api http://home'],
      [closed, 'SVC_API_TOKEN'],
    ] as const) {
      const { url } = await scriptedService(() => ({ json: config }))
      expect(await runTool(['login', '--api', url])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(expected),
      })
    }
  })
})
