import type { Role } from '@storey/contract'

/** A user of the external provider whose `tenant_id` is that of a sandbox. */
export interface AdminUser {
  id: string
  email: string
  roles: string[]
  hasOneTimePassword: boolean
  createdAt: Date
  /** Whether Storey created the user. Other users belong to the provider, and Storey changes nothing about them. */
  isOwn: boolean
}

/** A confidential client of the external provider with a service account. `id` is the subject of its tokens. */
export interface AdminServiceAccount {
  id: string
  clientId: string
  name: string
  roles: string[]
}

/**
 * What Storey does at an external identity provider with a client for administration. Each method is one change or
 * read; the rules are in `external-directory.ts`. All methods throw NOT_READY while the provider is unreachable.
 */
export interface IdentityAdmin {
  listUsers(tenantId: string): Promise<AdminUser[]>
  /** Undefined if the tenant has no such user. */
  findUser(tenantId: string, id: string): Promise<AdminUser | undefined>
  /** Throws CONFLICT if the address has an account, in any tenant. */
  createUser(tenantId: string, user: { email: string; roles: readonly Role[]; password: string }): Promise<AdminUser>
  setRoles(userId: string, roles: readonly Role[]): Promise<void>
  /** Sets a password that the user has to replace at the next sign-in, and ends all sessions of the user. */
  setOneTimePassword(userId: string, password: string): Promise<void>
  removeUser(userId: string): Promise<void>

  listServiceAccounts(tenantId: string): Promise<AdminServiceAccount[]>
  findServiceAccount(tenantId: string, id: string): Promise<AdminServiceAccount | undefined>
  createServiceAccount(
    tenantId: string,
    account: { name: string; roles: readonly Role[] },
  ): Promise<AdminServiceAccount & { clientSecret: string }>
  removeServiceAccount(account: AdminServiceAccount): Promise<void>

  /** Adds and removes origins of shells that may sign in. Calls must not overlap. */
  changeShellOrigins(change: { add?: readonly string[]; remove?: readonly string[] }): Promise<void>
}
