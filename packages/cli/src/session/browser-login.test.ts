import { describe, expect, it } from 'vitest'
import { type Answer, type ReceivedRequest, scriptedService } from '../testing/scripted-service.ts'
import { newHome, runTool } from '../testing/test-context.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A service whose identity provider has no device grant, and assigns the client ids. */
async function serviceOf(
  tokens: object = {},
  { discovery = {}, userInfo = { json: { sub: 'ann', email: 'ann@example.com' } } as Answer } = {},
) {
  let nonce = ''
  const answer = ({ path, headers }: ReceivedRequest): Answer => {
    const issuer = `http://${headers.host}/`
    if (path === '/config.json') {
      const config = { issuer, clientId: 'portal-7', cliClientId: 'cli-8', scope: 'openid api', audience: 'storey' }
      return { json: { ...config, organizationClaim: 'https://example.com/org_id' } }
    }
    if (path.endsWith('openid-configuration')) {
      const endpoints = ['authorization', 'token', 'revocation', 'userinfo'].map((name) => [
        `${name}_endpoint`,
        `${issuer}${name}`,
      ])
      return { json: { issuer, ...Object.fromEntries(endpoints), ...discovery } }
    }
    if (path === '/userinfo') return userInfo
    if (path !== '/token') return { json: {} }
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer, aud: 'cli-8', sub: 'ann', nonce, iat: now, exp: now + 600 }
    return {
      json: {
        ...{ token_type: 'bearer', refresh_token: 'secret-refresh', expires_in: 600 },
        access_token: `h.${part({ 'https://example.com/org_id': 'org_1' })}.secret-access`,
        id_token: `${part({ alg: 'RS256' })}.${part(claims)}.${part({})}`,
        ...tokens,
      },
    }
  }
  const service = await scriptedService(answer)
  const env = { ...newHome(), SVC_SANDBOX_API_URL: service.url }
  /** Runs `svc login`. `visit` takes the place of the browser: it gets the address that the tool prints. */
  const logIn = async (
    visit: (address: URL, callback: (parameters: object) => Promise<Response>) => Promise<unknown>,
  ) => {
    let visited: Promise<unknown> | undefined
    const onOutput = (text: string) => {
      const found = /^http\S+\/authorization\S+/m.exec(text)?.[0]
      if (found === undefined || visited !== undefined) return
      const address = new URL(found)
      nonce = address.searchParams.get('nonce')!
      const callback = (parameters: object) =>
        fetch(`${address.searchParams.get('redirect_uri')}?${new URLSearchParams({ ...parameters })}`)
      visited = visit(address, callback)
    }
    const result = await runTool(['login'], { env, onOutput })
    await visited
    return result
  }
  const forms = (path: string) =>
    service.received
      .filter((each) => each.path === path)
      .map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
  return { ...service, env, logIn, forms }
}

describe('login at a provider without the device grant', () => {
  it('[CLI-55] signs in with the browser of this machine, as the client that the service names', async () => {
    const { url, logIn, forms, env } = await serviceOf()
    const received: Record<string, string>[] = []
    const { code, stdout, stderr } = await logIn(async (address, callback) => {
      received.push(Object.fromEntries(address.searchParams))
      const state = address.searchParams.get('state')!
      expect((await callback({ code: 'stolen', state: 'guessed' })).status).toBe(404)
      const page = await callback({ code: 'c', state, iss: `${url}/` })
      expect(await page.text()).toContain('You can close this window.')
    })
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining(`Signed in to ${url} as ann@example.com`)])
    expect(stdout + stderr).not.toContain('secret')
    const { redirect_uri } = received[0]!
    expect(redirect_uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    expect(received[0]).toMatchObject({
      ...{ client_id: 'cli-8', response_type: 'code', code_challenge_method: 'S256', audience: 'storey' },
      scope: 'openid api offline_access',
    })
    const exchange = { grant_type: 'authorization_code', client_id: 'cli-8', code: 'c', redirect_uri }
    expect(forms('/token')).toEqual([{ ...exchange, code_verifier: expect.stringMatching(/^.{43,}$/) }])
    const who = await runTool(['whoami', '--format=json'], { env })
    expect(JSON.parse(who.stdout)).toMatchObject({ email: 'ann@example.com', org_id: 'org_1' })
    expect((await runTool(['logout'], { env })).code).toBe(0)
    expect(forms('/revocation')).toMatchObject([{ client_id: 'cli-8', token: 'secret-refresh' }])
  })

  it('ignores a request for a path that is not a valid address', async () => {
    const { url, logIn } = await serviceOf()
    const { code } = await logIn(async (address, callback) => {
      const { origin } = new URL(address.searchParams.get('redirect_uri')!)
      expect((await fetch(`${origin}//`)).status).toBe(404)
      await callback({ code: 'c', state: address.searchParams.get('state')!, iss: `${url}/` })
    })
    expect(code).toBe(0)
  })

  it('refuses a sign-in page without a valid address', async () => {
    const { env } = await serviceOf({}, { discovery: { authorization_endpoint: 'nowhere' } })
    const { code, stderr } = await runTool(['login'], { env })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('neither a device login nor') })
  })

  it('succeeds without the name of the user if the realm does not return the name', async () => {
    const { url, logIn } = await serviceOf({}, { userInfo: { status: 503 } })
    const { code, stdout } = await logIn((address, callback) =>
      callback({ code: 'c', state: address.searchParams.get('state')!, iss: `${url}/` }),
    )
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Signed in to ${url}.\n` })
  })

  it('removes control characters from the name, and so does whoami', async () => {
    const userInfo = { json: { sub: 'ann', email: 'ann\u001b[2J@example.com' } }
    const { url, logIn, env } = await serviceOf({}, { userInfo })
    const { stdout } = await logIn((address, callback) =>
      callback({ code: 'c', state: address.searchParams.get('state')!, iss: `${url}/` }),
    )
    expect(stdout).toBe(`Signed in to ${url} as ann[2J@example.com.\n`)
    expect((await runTool(['whoami'], { env })).stdout).toMatch(/^ann\[2J@example\.com\n/)
  })

  it('[CLI-55] reports a refusal in the browser, an access token that is not a JWT, and a missing refresh token', async () => {
    const denied = await serviceOf()
    const refusal = await denied.logIn((address, callback) =>
      callback({ error: 'access_denied', state: address.searchParams.get('state')!, iss: `${denied.url}/` }),
    )
    expect(refusal).toMatchObject({ code: 1, stderr: expect.stringContaining('denied in the browser') })
    for (const [tokens, expected] of [
      [{ access_token: 'opaque' }, 'not a JWT'],
      [{ refresh_token: undefined }, 'issued no refresh token'],
    ] as const) {
      const service = await serviceOf(tokens)
      const result = await service.logIn((address, callback) =>
        callback({ code: 'c', state: address.searchParams.get('state')!, iss: `${service.url}/` }),
      )
      expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(expected) })
    }
  })
})
