import type {
  AccountCreate,
  AccountRecord,
  NewAccountRecord,
  NewServiceAccountRecord,
  ServiceAccountCreate,
  ServiceAccountRecord,
} from '@storey/contract'

/**
 * Who may sign in to a sandbox: the embedded sandboxes realm, where there is one. With a provider of one's own, people
 * and programs are kept there.
 */
export interface Directory {
  accounts: Members<AccountCreate, AccountRecord, NewAccountRecord>
  serviceAccounts: Members<ServiceAccountCreate, ServiceAccountRecord, NewServiceAccountRecord>
  /** People can sign in to the sandbox at this address from here on. */
  openTenant(tenant: { tenantId: string; slug: string }): Promise<void>
  /** Everyone of a tenant, with all their sessions. */
  removeTenant(tenantId: string): Promise<void>
}

export interface Members<Create, Record, New> {
  /** A CONFLICT when there is such a one already. */
  create(tenantId: string, member: Create): Promise<New>
  list(tenantId: string): Promise<Record[]>
  /** False when there is none. */
  remove(tenantId: string, id: string): Promise<boolean>
}
