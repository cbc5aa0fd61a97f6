import type {
  AccountCreate,
  AccountRecord,
  NewAccountRecord,
  NewSandboxAccount,
  NewServiceAccountRecord,
  Role,
  SandboxAccount,
  ServiceAccountCreate,
  ServiceAccountRecord,
} from '@storey/contract'
import type { Tx } from '@storey/kit/database'

/**
 * The accounts of sandboxes, in the embedded identity provider or in an external one that Storey may administer. Absent
 * with any other external provider, which manages its own accounts.
 */
export interface Directory {
  accounts: Members<AccountCreate, AccountRecord, NewAccountRecord>
  serviceAccounts: Members<ServiceAccountCreate, ServiceAccountRecord, NewServiceAccountRecord>
  people: People
  /** Allows sign-in to the sandbox at the address with this slug. */
  openTenant(tenant: Tenant): Promise<void>
  /**
   * Allows sign-in to all sandboxes, when the service starts. Absent if one call of `openTenant` for each sandbox is
   * enough.
   */
  openTenants?(tenants: readonly Tenant[]): Promise<void>
  /**
   * A link that signs the owner in to the sandbox's shell as an administrator. It can be opened once, within a minute.
   * Absent at an external provider.
   */
  ownerSession?(owner: {
    developerId: string
    tenantId: string
    slug: string
    /** The path of the shell's page that opens. */
    path: string
    /**
     * Records that the link created the account of the owner, or took over an existing account with the owner's email
     * address.
     */
    record(action: 'account.created' | 'account.password_reset'): ChangeRules['record']
    check: CheckTenant
  }): Promise<OwnerLink>
  /**
   * Removes the accounts, service accounts and sessions of a tenant. Users that were created in an external provider
   * stay.
   */
  removeTenant(tenant: Tenant): Promise<void>
}

export interface OwnerLink {
  url: string
  expiresAt: Date
  /** The account whose earlier tokens the running stack must refuse from now on. */
  revokedAccountId?: string
}

export interface Tenant {
  tenantId: string
  slug: string
}

/**
 * The accounts of a sandbox, as its administrators manage them. The last administrator cannot be removed, or lose the
 * role.
 */
export interface People {
  list(tenantId: string): Promise<SandboxAccount[]>
  find(tenantId: string, id: string): Promise<SandboxAccount | undefined>
  create(tenantId: string, account: AccountCreate, rules: Pick<ChangeRules, 'record'>): Promise<NewSandboxAccount>
  /** This and the methods below throw NOT_FOUND for an account of another tenant. */
  setRoles(tenantId: string, id: string, roles: readonly Role[], rules: ChangeRules): Promise<SandboxAccount>
  resetPassword(tenantId: string, id: string, rules: ChangeRules): Promise<NewSandboxAccount>
  remove(tenantId: string, id: string, rules: ChangeRules): Promise<void>
}

/** What the control plane adds to the change of an account, in the transaction of the change. */
export interface ChangeRules {
  /** Throws if the account has changed since the caller read it. */
  check(account: SandboxAccount): void
  record: (
    tx: Tx,
    change: {
      account: { id: string; email: string }
      /** null before the account is created. */
      rolesBefore: readonly string[] | null
      /** null after it is removed. */
      rolesAfter: readonly string[] | null
    },
  ) => Promise<void>
}

/** Called in the transaction of a creation. Throws if the sandbox is being removed. */
export type CheckTenant = (tx: Tx) => Promise<void>

/**
 * `record` is given only for the accounts of people. Like the argument `check` of `create`, it throws if the sandbox is
 * being removed.
 */
export interface Members<Create, Record, New> {
  /** Throws CONFLICT when the member exists already. */
  create(tenantId: string, member: Create, record?: ChangeRules['record'], check?: CheckTenant): Promise<New>
  list(tenantId: string): Promise<Record[]>
  find(tenantId: string, id: string): Promise<Record | undefined>
  /** False when the member does not exist. */
  remove(tenantId: string, id: string, record?: ChangeRules['record']): Promise<boolean>
}
