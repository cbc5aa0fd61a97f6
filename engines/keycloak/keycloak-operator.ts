import { BOOTSTRAP } from './start-keycloak.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read without a schema
type Json = any

export interface Person {
  email: string
  password: string
  attributes: Record<string, string[]>
  roles?: string[]
  /** The first sign-in asks for another password. */
  isTemporary?: boolean
}

/** What the operator of a Keycloak does in its admin pages, through its admin REST API. */
export interface KeycloakOperator {
  call(method: string, path: string, body?: unknown): Promise<Json>
  /** Returns the id of the user, which is the subject of its tokens. */
  createUser(realm: string, person: Person): Promise<string>
  setRoles(realm: string, userId: string, roles: readonly string[]): Promise<void>
  client(realm: string, clientId: string): Promise<Json>
  secretOf(realm: string, clientId: string): Promise<string>
  serviceAccountOf(realm: string, clientId: string): Promise<Json>
  /** Signs with a new key from now on. Tokens of the earlier keys stay valid. */
  rotateKey(realm: string): Promise<void>
}

export function keycloakOperator(url: string): KeycloakOperator {
  async function token(): Promise<string> {
    const body = new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', ...BOOTSTRAP })
    const answer = await fetch(`${url}/realms/master/protocol/openid-connect/token`, { method: 'POST', body })
    return ((await answer.json()) as { access_token: string }).access_token
  }

  async function call(method: string, path: string, body?: unknown): Promise<Json> {
    const answer = await fetch(`${url}/admin/realms/${path}`, {
      method,
      headers: { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  const client = async (realm: string, clientId: string) =>
    (await call('GET', `${realm}/clients?clientId=${encodeURIComponent(clientId)}`))[0]

  async function setRoles(realm: string, userId: string, roles: readonly string[]): Promise<void> {
    const path = `${realm}/users/${userId}/role-mappings/realm`
    const all = await call('GET', `${realm}/roles`)
    const known = await call('GET', path)
    await call(
      'DELETE',
      path,
      known.filter(({ name }: Json) => !name.startsWith('default-roles-')),
    )
    await call(
      'POST',
      path,
      all.filter(({ name }: Json) => roles.includes(name)),
    )
  }

  let keys = 100
  return {
    call,
    client,
    setRoles,
    async createUser(realm, { email, password, attributes, roles = [], isTemporary = false }) {
      const credentials = [{ type: 'password', value: password, temporary: isTemporary }]
      const user = { username: email, email, emailVerified: true, enabled: true, attributes, credentials }
      await call('POST', `${realm}/users`, user)
      const [{ id }] = await call('GET', `${realm}/users?exact=true&username=${encodeURIComponent(email)}`)
      if (roles.length > 0) await setRoles(realm, id, roles)
      return id
    },
    async secretOf(realm, clientId) {
      const { id } = await client(realm, clientId)
      return (await call('GET', `${realm}/clients/${id}/client-secret`)).value
    },
    async serviceAccountOf(realm, clientId) {
      const { id } = await client(realm, clientId)
      return await call('GET', `${realm}/clients/${id}/service-account-user`)
    },
    async rotateKey(realm) {
      keys += 100
      const { id } = await call('GET', realm)
      await call('POST', `${realm}/components`, {
        name: `rsa-${keys}`,
        providerId: 'rsa-generated',
        providerType: 'org.keycloak.keys.KeyProvider',
        parentId: id,
        config: { priority: [String(keys)], enabled: ['true'], active: ['true'], keySize: ['2048'] },
      })
    },
  }
}
