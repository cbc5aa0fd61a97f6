import type { Role } from '@storey/contract'

/** A user of a sandbox at the external provider: the `tenant_id` of the user is that of the sandbox. */
export interface AdminUser {
  id: string
  email: string
  roles: string[]
  hasOneTimePassword: boolean
  createdAt: Date
  /** Whether Storey created the user. Other users belong to the provider, and Storey changes nothing about them. */
  isOwn: boolean
}

/** A service account at the external provider, and its confidential client. `id` is the subject of its tokens. */
export interface AdminServiceAccount {
  id: string
  clientId: string
  name: string
  roles: string[]
}

/**
 * What Storey reads and changes at an external identity provider, as a client that may administer it. Each method is
 * one change or read; the rules are in `external-directory.ts`. All methods throw NOT_READY while the provider is
 * unreachable.
 */
export interface IdentityAdmin {
  listUsers(tenantId: string): Promise<AdminUser[]>
  /** Undefined if the tenant has no such user. */
  findUser(tenantId: string, id: string): Promise<AdminUser | undefined>
  /** Throws CONFLICT if an account in any tenant has this email address. */
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

  /** Adds and removes the origins of shells in which users may sign in. Calls must not overlap. */
  changeShellOrigins(change: { add?: readonly string[]; remove?: readonly string[] }): Promise<void>
}
