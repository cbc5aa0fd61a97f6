import type { Page } from 'playwright-core'
import type { Person, SandboxClaims, TestedProvider } from '../identity/provider.ts'
import type { KeycloakOperator } from './keycloak-operator.ts'
import { signInAtKeycloak } from './sign-in.ts'
import { BOOTSTRAP, type Keycloak } from './start-keycloak.ts'

const AUDIENCE = 'storey'
const CLIENT = 'svc-integration'
const FIRST_PASSWORD = 'a first password of the developer'

/** The realms of `deploy/keycloak`, and what an operator does in them. */
export async function keycloakProvider(keycloak: Keycloak, operator: KeycloakOperator): Promise<TestedProvider> {
  const { issuers } = keycloak
  const tokenEndpoint = {
    developers: `${issuers.developers}/protocol/openid-connect/token`,
    sandboxes: `${issuers.sandboxes}/protocol/openid-connect/token`,
  }
  const secret = await operator.secretOf('sandboxes', CLIENT)
  const account = await operator.serviceAccountOf('sandboxes', CLIENT)
  const attributesOf = ({ tenantId, buildingIds }: SandboxClaims) => ({
    ...(tenantId === undefined ? {} : { tenant_id: [tenantId] }),
    ...(buildingIds === undefined ? {} : { building_ids: buildingIds }),
  })
  const trust: Record<string, string> =
    keycloak.authority === undefined ? {} : { NODE_EXTRA_CA_CERTS: keycloak.authority }
  let developer = ''
  let isFirstSignIn = true

  return {
    name: 'Keycloak',
    issuers,
    settings: { DEVELOPERS_AUDIENCE: AUDIENCE, SANDBOXES_AUDIENCE: AUDIENCE, ...trust },
    toolSettings: trust,
    cliClientId: 'svc-cli',
    tokenEndpoint,
    start: keycloak.start,
    kill: keycloak.kill,

    isSignInPage: ({ href }) => href.startsWith(`${keycloak.url}/realms/`),
    async signIn(page: Page, person: Person) {
      if (person.email !== developer || !isFirstSignIn) return await signInAtKeycloak(page, person)
      isFirstSignIn = false
      await signInAtKeycloak(page, { ...person, password: FIRST_PASSWORD, newPassword: person.password })
    },
    async confirmTool(page, address, person) {
      await page.goto(address)
      await signInAtKeycloak(page, person)
      await page.locator('#kc-login, [name=accept]').first().click()
      await page
        .getByText(/device login successful/i)
        .first()
        .waitFor()
    },

    /** The first sign-in replaces the password. */
    async createDeveloper({ email }, organizationId) {
      developer = email
      const attributes = { org_id: [organizationId] }
      await operator.createUser('developers', { email, password: FIRST_PASSWORD, attributes, isTemporary: true })
    },
    async endDeveloperSessions(email) {
      const [{ id }] = await operator.call('GET', `developers/users?username=${encodeURIComponent(email)}`)
      await operator.call('POST', `developers/users/${id}/logout`)
    },
    createUser: (person, claims) =>
      operator.createUser('sandboxes', { ...person, attributes: attributesOf(claims), roles: claims.roles }),
    async setUserDisabled(id, isDisabled) {
      const user = await operator.call('GET', `sandboxes/users/${id}`)
      await operator.call('PUT', `sandboxes/users/${id}`, { ...user, enabled: !isDisabled })
      if (isDisabled) await operator.call('POST', `sandboxes/users/${id}/logout`)
    },
    async addConsole(origin) {
      const { id, redirectUris } = await operator.client('sandboxes', 'svc-shell')
      const added = [...redirectUris, `${origin}/callback`, `${origin}/`]
      await operator.call('PUT', `sandboxes/clients/${id}`, { clientId: 'svc-shell', redirectUris: added })
    },

    serviceAccount: {
      clientId: CLIENT,
      secret,
      async set(claims) {
        await operator.call('PUT', `sandboxes/users/${account.id}`, { ...account, attributes: attributesOf(claims) })
        await operator.setRoles('sandboxes', account.id, claims.roles)
      },
      async setDisabled(isDisabled) {
        const { id } = await operator.client('sandboxes', CLIENT)
        await operator.call('PUT', `sandboxes/clients/${id}`, { clientId: CLIENT, enabled: !isDisabled })
      },
      token: () => keycloak.machineToken(CLIENT, secret),
    },
    async foreignTokens() {
      const body = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...BOOTSTRAP })
      const url = `${keycloak.url}/realms/master/protocol/openid-connect/token`
      const master = (await (await fetch(url, { method: 'POST', body })).json()) as { access_token: string }
      const admin = await operator.secretOf('sandboxes', 'svc-admin')
      return {
        'another audience': await keycloak.machineToken('svc-admin', admin),
        'another issuer': master.access_token,
      }
    },
    rotateKey: () => operator.rotateKey('sandboxes'),
  }
}
