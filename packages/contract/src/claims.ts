/**
 * The claims that a provider may send under other names in its access tokens. Unless the roles have another name, they
 * are read from `realm_access.roles`.
 */
export const RENAMED_CLAIMS = {
  developers: ['sub', 'org_id', 'email'],
  sandboxes: ['sub', 'tenant_id', 'building_ids', 'roles', 'email'],
} as const

/** The names of claims at a provider, by the names that Storey uses. */
export type ClaimNames = Readonly<Record<string, string>>

type Claims = Readonly<Record<string, unknown>>

/**
 * The value of a claim. A name with dots, such as `ext.tenant_id`, may also be a path into an object; a claim with
 * exactly this name comes first, because names such as `https://example.com/roles` contain dots too.
 */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name.split('.').reduce<unknown>((value, step) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && Object.hasOwn(value, step) ? (value as Claims)[step] : undefined
  }, claims)
}

export const ROLES_CLAIM = 'realm_access.roles'

/**
 * The roles in a token. Some providers write a single role as a text instead of a list. This is accepted in every claim
 * except `realm_access.roles`.
 */
export function rolesAt(claims: Claims, name = ROLES_CLAIM): string[] {
  const roles = claimAt(claims, name)
  const list = Array.isArray(roles) ? roles : name === ROLES_CLAIM ? [] : [roles]
  return list.filter((role) => typeof role === 'string' && role !== '')
}

/**
 * How the records of a sandbox name a caller: a person by email address or user name, a service account by its client
 * id, and any other caller by `subject`. `azp` is read last, because a person's token has an `azp` too.
 */
export function actorOf(claims: Claims, subject: string): string {
  const { email, preferred_username, client_id, azp } = claims
  const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''
  return [email, preferred_username, client_id, azp].find(isName) ?? subject
}

/**
 * The claims under the names that Storey uses. A claim that has another name at the provider is read under that name
 * only, because a claim with Storey's name may mean something else there.
 */
export function renameClaims<T extends Claims>(claims: T, names: ClaimNames): T {
  const renamed: Record<string, unknown> = { ...claims }
  for (const [name, from] of Object.entries(names)) {
    if (name === 'roles') renamed.realm_access = { roles: rolesAt(claims, from) }
    else renamed[name] = claimAt(claims, from)
  }
  return renamed as T
}
