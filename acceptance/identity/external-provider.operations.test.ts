import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { Provider } from 'oidc-provider'
import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { actorsAt } from '../system/shared.ts'
import { freePort, type System, startSystem } from '../system/system.ts'

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
const SECRET = 'a secret of the corporation'
const [PORTAL, CLI] = ['0oa-portal', '0oa-cli']
const TENANT_CLAIM = 'https://corporation.example/tenant_id'

/** One provider for both realms. Its host, path, keys and lifetimes differ from those of the embedded provider. */
async function startProvider(claims: (clientId: string) => Record<string, unknown>) {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const client = (client_id: string) => ({
    client_id,
    client_secret: SECRET,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  })
  const provider = new Provider(issuer, {
    clients: [PORTAL, CLI, 'building-bot', 'other-bot'].map(client),
    jwks: { keys: [{ ...key, alg: 'RS256', use: 'sig', kid: 'corporate' }] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => 'urn:corporation',
        getResourceServerInfo: () => ({ scope: '', accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
      },
    },
    extraTokenClaims: (_ctx, token) => ({
      sub: `corp|${(token as { clientId: string }).clientId}`,
      azp: (token as { clientId: string }).clientId,
      ...claims((token as { clientId: string }).clientId),
    }),
    ttl: { ClientCredentials: 120 },
  } as ConstructorParameters<typeof Provider>[1])
  const server: Server = createServer(provider.callback())
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const tokenFor = async (clientId: string) => {
    const config = await oauth.discovery(new URL(issuer), clientId, SECRET, undefined, {
      execute: [oauth.allowInsecureRequests],
    })
    return (await oauth.clientCredentialsGrant(config)).access_token
  }
  return { issuer, tokenFor, stop: () => new Promise((resolve) => server.close(resolve)) }
}

describe('[IDN-04] another OpenID provider', () => {
  let provider: Awaited<ReturnType<typeof startProvider>>
  let system: System
  let organizationId: string
  let tenantId = 'org_none'
  beforeAll(async () => {
    provider = await startProvider((clientId) => {
      if (clientId.startsWith('0oa-')) return { org_id: organizationId, email: 'dev@corporation.example' }
      return { [TENANT_CLAIM]: clientId === 'building-bot' ? tenantId : 'org_other', ext: { roles: ['user'] } }
    })
    const issuers = { DEVELOPERS_ISSUER: provider.issuer, SANDBOXES_ISSUER: provider.issuer }
    const clients = { PORTAL_CLIENT_ID: PORTAL, CLI_CLIENT_ID: CLI }
    const SANDBOXES_CLAIMS = `tenant_id=${TENANT_CLAIM}, roles=ext.roles`
    system = await startSystem({ env: { ...issuers, ...clients, SANDBOXES_CLAIMS } })
    organizationId = await actorsAt(system).operator('org', 'create', 'Corporation')
  })
  afterAll(async () => {
    await system.remove()
    await provider.stop()
  })

  it('[IDN-02, IDN-06, IDN-43] issues the tokens of developers and of the users of sandboxes', async () => {
    const { api, waitWhileProvisioning } = actorsAt(system)
    const portal = await provider.tokenFor(PORTAL)
    const minted = await api(portal, '/api/v1/keys', { body: { label: 'corporate' } })
    expect(minted.status).toBe(201)
    const cli = await provider.tokenFor(CLI)
    expect((await api(cli, '/api/v1/keys', { body: { label: 'x' } })).status).toBe(403)
    const created = await api(cli, '/api/v1/sandboxes', {
      body: { name: 'Corporate', storeys: 1, seedTelemetryDays: 0 },
    })
    expect(created.status).toBe(202)
    const record = await waitWhileProvisioning(cli, created.json.sandboxId)
    expect(record.status).toBe('ready')
    tenantId = record.organizationId

    const config = (await call(`${system.url}/config.json`)).json
    expect(config).toMatchObject({ clientId: PORTAL, cliClientId: CLI, organizationClaim: 'org_id' })
    const shell = (await call(`${record.consoleUrl}/config.json`)).json
    expect(shell).toMatchObject({ clientId: 'svc-shell', rolesClaim: 'ext.roles' })

    const url = `${record.apiUrl}/api/v1/buildings`
    expect((await call(url, { token: await provider.tokenFor('building-bot') })).json.total).toBe(1)
    const other = await call(url, { token: await provider.tokenFor('other-bot') })
    expect(other.json).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' })
    const body = { email: 'a@b.c', roles: ['user'] }
    const accounts = await api(cli, `/api/v1/sandboxes/${record.sandboxId}/accounts`, { body })
    expect(accounts.json).toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  it('replaces the embedded provider completely', async () => {
    const found = await call(`${system.url}/realms/developers/.well-known/openid-configuration`)
    expect(found.status).toBe(404)
    expect(system.output()).not.toContain('developer@example.com')
  })
})
