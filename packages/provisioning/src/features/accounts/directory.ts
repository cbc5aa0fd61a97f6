import type {
  AccountCreate,
  AccountRecord,
  NewAccountRecord,
  NewServiceAccountRecord,
  ServiceAccountCreate,
  ServiceAccountRecord,
} from '@storey/contract'

/**
 * The accounts of sandboxes in the embedded identity provider. Absent with an external provider, which manages its own
 * accounts.
 */
export interface Directory {
  accounts: Members<AccountCreate, AccountRecord, NewAccountRecord>
  serviceAccounts: Members<ServiceAccountCreate, ServiceAccountRecord, NewServiceAccountRecord>
  /** Allows sign-in to the sandbox at the address with this slug. */
  openTenant(tenant: { tenantId: string; slug: string }): Promise<void>
  /**
   * A link that signs the owner in to the sandbox's shell as an administrator. It can be opened once, within a minute.
   */
  ownerSession(owner: {
    developerId: string
    tenantId: string
    slug: string
    /** The path of the shell's page that opens. */
    path: string
  }): Promise<{ url: string; expiresAt: Date }>
  /** Removes all accounts and sessions of a tenant. */
  removeTenant(tenantId: string): Promise<void>
}

export interface Members<Create, Record, New> {
  /** Throws CONFLICT when the member exists already. */
  create(tenantId: string, member: Create): Promise<New>
  list(tenantId: string): Promise<Record[]>
  /** False when the member does not exist. */
  remove(tenantId: string, id: string): Promise<boolean>
}
