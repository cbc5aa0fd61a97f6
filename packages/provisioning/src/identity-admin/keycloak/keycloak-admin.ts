import { BASE62, problems, ROLES } from '@storey/contract'
import { randomText } from '@storey/kit/secrets'
import type { AdminServiceAccount, AdminUser, IdentityAdmin } from '../identity-admin.ts'
import { createKeycloakCalls, type KeycloakAdminSettings, KeycloakRefusal } from './keycloak-calls.ts'
import { SIGN_IN_PATHS, serviceAccountClient } from './keycloak-clients.ts'

interface User {
  id: string
  username: string
  email?: string
  createdTimestamp?: number
  requiredActions?: string[]
  attributes?: Record<string, string[]>
}

interface NamedRole {
  id: string
  name: string
}

interface Client {
  id: string
  clientId: string
  name?: string
  redirectUris?: string[]
}

const PAGE = 100
const AT_A_TIME = 8
const MANAGED_BY = 'storey'
const UPDATE_PASSWORD = 'UPDATE_PASSWORD'

/** The accounts of sandboxes in a Keycloak with the realm of `deploy/keycloak/sandboxes-realm.json`. */
export function createKeycloakAdmin(
  settings: KeycloakAdminSettings & { audience: string | undefined; shellClientId: string },
): IdentityAdmin {
  const { shellClientId } = settings
  const { get, send } = createKeycloakCalls(settings)
  const rolesPath = (userId: string) => `/users/${encodeURIComponent(userId)}/role-mappings/realm`

  /** The roles that Storey knows; users also have roles of Keycloak's own. */
  async function rolesOf(userId: string): Promise<NamedRole[]> {
    const all = await get<NamedRole[]>(rolesPath(userId))
    return all.filter(({ name }) => (ROLES as readonly string[]).includes(name))
  }

  async function setRoles(userId: string, roles: readonly string[]): Promise<void> {
    const [present, available] = await Promise.all([
      rolesOf(userId),
      get<NamedRole[]>(`${rolesPath(userId)}/available`),
    ])
    const missing = roles.filter((role) => !present.some(({ name }) => name === role))
    const added = available.filter(({ name }) => missing.includes(name))
    if (added.length < missing.length)
      throw problems.conflict('roles', `The realm does not have all of these roles: ${missing.join(', ')}`)
    const removed = present.filter(({ name }) => !roles.includes(name))
    if (removed.length > 0) await send('DELETE', rolesPath(userId), removed)
    if (added.length > 0) await send('POST', rolesPath(userId), added)
  }

  async function toUser(user: User): Promise<AdminUser> {
    return {
      id: user.id,
      email: user.email ?? user.username,
      roles: (await rolesOf(user.id)).map(({ name }) => name),
      hasOneTimePassword: user.requiredActions?.includes(UPDATE_PASSWORD) ?? false,
      createdAt: new Date(user.createdTimestamp ?? 0),
      isOwn: user.attributes?.managed_by?.[0] === MANAGED_BY,
    }
  }

  /** Undefined if there is no such user, or if it belongs to another tenant. */
  async function findIn(tenantId: string, id: string): Promise<User | undefined> {
    const user = await unlessMissing(get<User>(`/users/${encodeURIComponent(id)}`))
    return user?.attributes?.tenant_id?.[0] === tenantId ? user : undefined
  }

  async function usersOf(tenantId: string): Promise<User[]> {
    const all: User[] = []
    for (;;) {
      const query = new URLSearchParams({ q: `tenant_id:${tenantId}`, briefRepresentation: 'false' })
      const page = await get<User[]>(`/users?${query}&first=${all.length}&max=${PAGE}`)
      all.push(...page)
      if (page.length < PAGE) return all.filter(({ username }) => !username.startsWith(SERVICE_ACCOUNT))
    }
  }

  async function clientsOf(tenantId: string): Promise<Client[]> {
    const prefix = prefixOf(tenantId)
    const all = await get<Client[]>(`/clients?search=true&max=1000&clientId=${encodeURIComponent(prefix)}`)
    return all.filter(({ clientId }) => clientId.startsWith(prefix))
  }

  async function toServiceAccount(client: Client): Promise<AdminServiceAccount> {
    const { id } = await get<User>(`/clients/${client.id}/service-account-user`)
    const roles = (await rolesOf(id)).map(({ name }) => name)
    return { id, clientId: client.clientId, name: client.name ?? client.clientId, roles }
  }

  return {
    async listUsers(tenantId) {
      const users = await inBatches(await usersOf(tenantId), toUser)
      return users.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1))
    },
    async findUser(tenantId, id) {
      const user = await findIn(tenantId, id)
      return user === undefined || user.username.startsWith(SERVICE_ACCOUNT) ? undefined : await toUser(user)
    },
    async createUser(tenantId, { email, roles, password }) {
      const id = await send('POST', '/users', {
        username: email,
        email,
        emailVerified: true,
        enabled: true,
        attributes: { tenant_id: [tenantId], managed_by: [MANAGED_BY] },
        credentials: [{ type: 'password', value: password, temporary: true }],
      }).catch((err) => {
        if (err instanceof KeycloakRefusal && err.status === 409)
          throw problems.conflict('email', `${email} has an account in the identity provider already`)
        throw err
      })
      try {
        await setRoles(id!, roles)
        return (await this.findUser(tenantId, id!))!
      } catch (err) {
        await send('DELETE', `/users/${id}`)
        throw err
      }
    },
    setRoles,
    async setOneTimePassword(userId, password) {
      const path = `/users/${encodeURIComponent(userId)}`
      await send('PUT', `${path}/reset-password`, { type: 'password', value: password, temporary: true })
      await send('POST', `${path}/logout`)
    },
    removeUser: async (userId) => void (await unlessMissing(send('DELETE', `/users/${encodeURIComponent(userId)}`))),

    listServiceAccounts: async (tenantId) => await inBatches(await clientsOf(tenantId), toServiceAccount),
    async findServiceAccount(tenantId, id) {
      const user = await findIn(tenantId, id)
      if (user === undefined || !user.username.startsWith(SERVICE_ACCOUNT)) return undefined
      // Keycloak writes user names in lower case.
      const clients = await clientsOf(tenantId)
      const client = clients.find(({ clientId }) => user.username === `${SERVICE_ACCOUNT}${clientId.toLowerCase()}`)
      return client && (await toServiceAccount(client))
    },
    async createServiceAccount(tenantId, { name, roles }) {
      const clientId = prefixOf(tenantId) + randomText(BASE62.toLowerCase(), 20)
      const clientSecret = randomText(BASE62, 40)
      const client = serviceAccountClient({ clientId, clientSecret, name, audience: settings.audience })
      const id = (await send('POST', '/clients', client))!
      try {
        const user = await get<User>(`/clients/${id}/service-account-user`)
        const attributes = { tenant_id: [tenantId], managed_by: [MANAGED_BY] }
        await send('PUT', `/users/${user.id}`, { ...user, attributes })
        await setRoles(user.id, roles)
        return { id: user.id, clientId, name, roles: [...roles], clientSecret }
      } catch (err) {
        await send('DELETE', `/clients/${id}`)
        throw err
      }
    },
    async removeServiceAccount({ clientId }) {
      const found = await get<Client[]>(`/clients?clientId=${encodeURIComponent(clientId)}`)
      for (const { id } of found) await unlessMissing(send('DELETE', `/clients/${id}`))
    },

    async changeShellOrigins({ add = [], remove = [] }) {
      const [shell] = await get<Client[]>(`/clients?clientId=${encodeURIComponent(shellClientId)}`)
      if (shell === undefined) throw new Error(`the realm has no client ${shellClientId}`)
      const before = shell.redirectUris ?? []
      const addressesOf = (origins: readonly string[]) =>
        origins.flatMap((origin) => SIGN_IN_PATHS.map((path) => origin + path))
      const removed = new Set(addressesOf(remove))
      const after = [...new Set([...before.filter((address) => !removed.has(address)), ...addressesOf(add)])]
      if (after.length === before.length && after.every((address) => before.includes(address))) return
      await send('PUT', `/clients/${shell.id}`, { clientId: shellClientId, redirectUris: after })
    },
  }
}

const SERVICE_ACCOUNT = 'service-account-'
/** Keycloak cannot search clients by attribute, so the client id contains the id of the tenant. */
const prefixOf = (tenantId: string): string => `sa-${tenantId}-`

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (err) {
    if (err instanceof KeycloakRefusal && err.status === 404) return undefined
    throw err
  }
}

async function inBatches<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < all.length; at += AT_A_TIME)
    done.push(...(await Promise.all(all.slice(at, at + AT_A_TIME).map(work))))
  return done
}
