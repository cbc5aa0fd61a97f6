import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Person, SandboxClaims, TestedProvider } from '../identity/provider.ts'
import type { Hydra } from './start-hydra.ts'

const CLIENTS = join(import.meta.dirname, '..', '..', 'deploy', 'hydra', 'clients')
const SCOPE = 'openid email profile offline_access'

interface Client {
  client_id: string
  client_secret?: string
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
}

/**
 * Creates the clients of `deploy/hydra/clients` in Hydra, which assigns their ids. The methods of the result do what an
 * operator does: through Hydra's admin API, and in the file with the users of the sign-in pages.
 */
export async function hydraProvider(hydra: Hydra, storeyUrl: string): Promise<TestedProvider> {
  const { issuer, adminUrl, pages } = hydra
  const tokenEndpoint = `${issuer}oauth2/token`

  async function admin<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${adminUrl}/admin${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
  const create = (file: string, changes: object = {}) => {
    const text = readFileSync(join(CLIENTS, file), 'utf8').replaceAll('https://storey.example.com', storeyUrl)
    return admin<Client>('POST', '/clients', { ...JSON.parse(text), ...changes })
  }
  const set = (id: string, member: string, value: unknown) =>
    admin('PATCH', `/clients/${id}`, [{ op: 'replace', path: `/${member}`, value }])

  async function token(client: Client, parameters: Record<string, string> = { audience: 'storey-sandboxes' }) {
    const answer = await fetch(tokenEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...parameters }),
    })
    const body = (await answer.json()) as { access_token?: string }
    if (body.access_token === undefined) throw new Error(JSON.stringify(body))
    return body.access_token
  }

  const [portal, cli, shell, program] = await Promise.all(
    ['portal.json', 'cli.json', 'shell.json', 'program.json'].map((file) => create(file)),
  )
  const metadataOf = ({ tenantId, buildingIds, roles }: SandboxClaims) => ({
    ...(tenantId === undefined ? {} : { tenant_id: tenantId }),
    ...(buildingIds === undefined ? {} : { building_ids: buildingIds }),
    roles,
  })
  async function signIn(page: Page, { email, password }: Person): Promise<void> {
    await page.locator('#username').fill(email)
    await page.locator('#password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  let metadata: object = {}
  const idOf = (email: string) => email.split('@')[0]!

  return {
    name: 'Hydra',
    issuers: { developers: issuer, sandboxes: issuer },
    settings: {
      DEVELOPERS_AUDIENCE: 'storey-developers',
      SANDBOXES_AUDIENCE: 'storey-sandboxes',
      DEVELOPERS_SCOPE: SCOPE,
      SANDBOXES_SCOPE: SCOPE,
      DEVELOPERS_CLAIMS: 'org_id=https://storey.example.com/org_id, email=ext.email',
      SANDBOXES_CLAIMS: 'tenant_id=ext.tenant_id, building_ids=ext.building_ids, roles=ext.roles, email=ext.email',
      PORTAL_CLIENT_ID: portal!.client_id,
      CLI_CLIENT_ID: cli!.client_id,
      SHELL_CLIENT_ID: shell!.client_id,
    },
    cliClientId: cli!.client_id,
    audience: 'storey-sandboxes',
    tokenEndpoint: { developers: tokenEndpoint, sandboxes: tokenEndpoint },
    start: hydra.start,
    kill: hydra.kill,

    isSignInPage: ({ href }) => href.startsWith(`${pages.url}/login`),
    signIn,
    async confirmTool(page, address, person) {
      await page.goto(address)
      await signIn(page, person)
      await page.getByText('You can close this window.').waitFor()
    },

    async createDeveloper({ email, password }, organizationId) {
      pages.add({ id: idOf(email), email, password, org_id: organizationId })
    },
    async endDeveloperSessions(email) {
      await admin('DELETE', `/oauth2/auth/sessions/login?subject=${idOf(email)}`)
    },
    async createUser({ email, password }, claims) {
      pages.add({ id: idOf(email), email, password, ...metadataOf(claims) })
      return idOf(email)
    },
    async setUserDisabled(id, isDisabled) {
      pages.change(id, { isDisabled })
      if (!isDisabled) return
      await admin('DELETE', `/oauth2/auth/sessions/login?subject=${id}`)
      await admin('DELETE', `/oauth2/auth/sessions/consent?subject=${id}&all=true`)
    },
    async addConsole(origin) {
      const { redirect_uris, post_logout_redirect_uris } = shell!
      await set(shell!.client_id, 'redirect_uris', [...redirect_uris, `${origin}/callback`])
      await set(shell!.client_id, 'post_logout_redirect_uris', [...post_logout_redirect_uris, `${origin}/`])
    },

    serviceAccount: {
      clientId: program!.client_id,
      secret: program!.client_secret!,
      async set(claims) {
        metadata = metadataOf(claims)
        await set(program!.client_id, 'metadata', metadata)
      },
      setDisabled: async (isDisabled) => void (await set(program!.client_id, 'metadata', { ...metadata, isDisabled })),
      token: () => token(program!),
    },
    async foreignTokens() {
      const other = await create('program.json', { audience: ['storey-developers', 'another-api'], metadata })
      const opaque = await create('program.json', { access_token_strategy: 'opaque', metadata })
      return {
        'another audience': await token(other, { audience: 'another-api' }),
        'the audience of developers': await token(other, { audience: 'storey-developers' }),
        'no audience': await token(program!, {}),
        'an opaque token': await token(opaque),
      }
    },
    rotateKey: async () => void (await admin('POST', '/keys/hydra.jwt.access-token', { alg: 'ES256', use: 'sig' })),
  }
}
