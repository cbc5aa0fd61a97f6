import { writeFileSync } from 'node:fs'
import type { Server } from 'node:https'
import { join } from 'node:path'
import { shellClientId } from '@storey/contract'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Browser } from '../../packages/identity/src/testing/browser.ts'
import { selfSigned } from '../../packages/kit/src/outbound/testing/certificate.ts'
import { type Answer, call } from '../system/call.ts'
import { actorsAt, type Developer, startInstalled } from '../system/shared.ts'
import { freePort, type System, startSystem } from '../system/system.ts'
import { startTlsProxy } from '../system/tls-proxy.ts'

const OWN_PASSWORD = 'a password of my own'

describe('a service that moved to https, to another domain and to a certificate of a private authority', () => {
  const certificate = selfSigned({ names: ['localhost'], addresses: ['127.0.0.1'] })
  let system: System
  let developer: Developer
  let sandbox: { record: Answer['json']; connection: Answer['json'] }
  let person: { email: string; oneTimePassword: string }
  let program: { clientId: string; clientSecret: string }
  let proxy: Server
  let publicUrl: string
  let environment: Record<string, string>

  beforeAll(async () => {
    system = await startInstalled()
    const actors = actorsAt(system)
    developer = await actors.newDeveloper('full')
    sandbox = await actors.newSandbox(developer.key)
    const path = `/api/v1/sandboxes/${sandbox.record.sandboxId}`
    const roles = ['admin']
    person = (await actors.api(developer.key, `${path}/accounts`, { body: { email: 'ann@example.com', roles } })).json
    program = (await actors.api(developer.key, `${path}/service-accounts`, { body: { name: 'bot', roles } })).json
    await system.stop()

    const [tlsPort, port] = [await freePort(), await freePort()]
    proxy = await startTlsProxy(tlsPort, port, certificate)
    publicUrl = `https://localhost:${tlsPort}`
    const authority = join(system.dataDir, 'authority.pem')
    writeFileSync(authority, certificate.cert)
    environment = {
      PUBLIC_URL: publicUrl,
      BASE_DOMAIN: 'moved.localhost',
      TRUSTED_PROXIES: '127.0.0.1',
      NODE_EXTRA_CA_CERTS: authority,
      PORT: String(port),
    }
    system = await startSystem({ dataDir: system.dataDir, port, env: environment })
  })
  afterAll(async () => {
    await system.remove()
    await new Promise((resolve) => proxy.close(resolve))
  })

  const hostOf = () => `http://${sandbox.record.slug}.moved.localhost:${new URL(system.url).port}`
  const spaces = (token: string) =>
    call(`${hostOf()}/api/v1/buildings/${sandbox.connection.buildingId}/spaces`, { token })
  const programToken = async () => {
    const basic = Buffer.from(`${program.clientId}:${program.clientSecret}`).toString('base64')
    const answer = await call(`${system.url}/realms/sandboxes/token`, {
      body: 'grant_type=client_credentials',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    })
    return answer.json.access_token as string
  }

  it('[IDN-32] accepts the sandbox’s token from before the move, and issues a new one', async () => {
    expect(decodeJwt(sandbox.connection.token).iss).not.toBe(publicUrl)
    expect((await spaces(sandbox.connection.token)).status).toBe(200)
    const { api } = actorsAt(system)
    const { json } = await api(developer.key, `/api/v1/sandboxes/${sandbox.record.sandboxId}/connection`)
    expect(json.apiUrl).toBe(
      hostOf().replace(/^http:.*?:\d+$/, `https://${sandbox.record.slug}.moved.localhost:${new URL(publicUrl).port}`),
    )
    expect(decodeJwt(json.token).iss).toBe(publicUrl)
    expect((await spaces(json.token)).status).toBe(200)
  })

  it('[IDN-32, STK-13] has stacks that trust the certificate that the authority issued to the realm', async () => {
    const token = await programToken()
    expect(decodeJwt(token)).toMatchObject({ iss: `${publicUrl}/realms/sandboxes` })
    expect((await spaces(token)).status).toBe(200)
  })

  it('[IDN-29, IDN-32] signs people in to their sandbox at its new address', async () => {
    const shell = `https://${sandbox.record.slug}.moved.localhost:${new URL(publicUrl).port}`
    const browser = new Browser(publicUrl)
    browser.via.set(publicUrl, system.url)
    const query = new URLSearchParams({
      client_id: shellClientId(sandbox.record.slug),
      redirect_uri: `${shell}/callback`,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    const page = await browser.open(`${publicUrl}/realms/sandboxes/auth?${query}`)
    const choose = await browser.submit(page, { email: person.email, password: person.oneTimePassword })
    const end = await browser.submit(choose, { password: OWN_PASSWORD, repeated: OWN_PASSWORD })
    expect(end.url.href).toMatch(`${shell}/callback?code=`)
    expect(browser.cookies().every(({ name }) => name.startsWith('__Host-'))).toBe(true)
    const tokens = await call(`${system.url}/realms/sandboxes/token`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: shellClientId(sandbox.record.slug),
        redirect_uri: `${shell}/callback`,
        code: end.url.searchParams.get('code')!,
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      }).toString(),
    })
    expect((await spaces(tokens.json.access_token)).status).toBe(200)
  })

  it('[RAT-08] records in the audit the address that the trusted proxy forwards', async () => {
    const { api, operator } = actorsAt(system)
    const headers = { 'x-forwarded-for': '6.6.6.6, 198.51.100.77' }
    await api(developer.key, '/api/v1/sandboxes', { headers })
    await expect
      .poll(() => operator('audit', '--org', developer.organizationId), { timeout: 20_000, interval: 1_000 })
      .toContain('198.51.100.77')
    expect(await operator('audit', '--org', developer.organizationId)).not.toContain('6.6.6.6')
  })

  it('[IDN-33] answers 503 and never 401 while it does not know the authority, with one log line', async () => {
    await system.stop()
    const { NODE_EXTRA_CA_CERTS: _, ...without } = environment
    const port = Number(environment.PORT)
    system = await startSystem({ dataDir: system.dataDir, port, env: without })
    const token = await programToken()
    for (let i = 0; i < 5; i++) {
      const answer = await spaces(token)
      expect(answer.json).toMatchObject({ status: 503, code: 'NOT_READY' })
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await spaces(sandbox.connection.token)).status).toBe(200)
    expect(system.output().match(/identity provider unreachable/g)).toHaveLength(1)
    const portal = await actorsAt(system).operator('session', developer.email)
    const refused = await actorsAt(system).api(portal, '/api/v1/sandboxes')
    expect(refused.json).toMatchObject({ status: 503, code: 'NOT_READY' })
  })
})
