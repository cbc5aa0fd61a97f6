import { randomUUID } from 'node:crypto'
import { canonicalEmail, checkQuota, emailAddress, problems, type Role } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import { type Database, isUniqueViolation, type Tx } from '@storey/kit/database'
import * as models from '../realm/models.store.ts'
import type { RealmName } from '../realm/names.ts'
import * as store from './accounts.store.ts'
import { endSessions } from './end-sessions.ts'
import { newOneTimePassword, type Passwords, verifyPassword } from './passwords.ts'
import { requireGoodPassword } from './require-good-password.ts'

export interface Developer {
  id: string
  email: string
  organizationId: string
}

export interface Developers {
  /** If no password is given, a one-time password is generated, which the user replaces at the first sign-in. */
  create(developer: Developer & { password?: string }): Promise<Developer & { oneTimePassword?: string }>
  /**
   * Creates another one-time password for an enabled account that still has a one-time password; undefined for any
   * other account.
   */
  renewInvitation(id: string): Promise<{ oneTimePassword: string } | undefined>
  find(email: string): Promise<Developer | undefined>
  hasPassword(id: string, password: string): Promise<boolean>
  /**
   * Disables or enables the account of a developer, and the developer's accounts in their own sandboxes, in the given
   * transaction. Disabling ends all sessions of these accounts. Returns the accounts in sandboxes.
   */
  setDisabled(tx: Tx, id: string, isDisabled: boolean): Promise<OwnedAccount[]>
}

/** The account of a developer in one of their own sandboxes. */
export interface OwnedAccount {
  id: string
  tenantId: string
}

export interface TenantAccount {
  id: string
  email: string
  roles: string[]
}

export interface TenantAccounts {
  create(
    account: { tenantId: string; email: string; roles: readonly Role[] },
    record?: RecordChange,
  ): Promise<TenantAccount & { oneTimePassword: string }>
  /**
   * Returns the owner's administrator account in the sandbox, and creates it if needed. An existing account with the
   * owner's email address becomes the owner's. If the owner's account lacks the role of an administrator, it gets the
   * role. In both cases the password and the sessions of the existing account are no longer valid.
   */
  ensureOwner(tenantId: string, owner: { id: string; email: string }, record?: RecordOwner): Promise<OwnerAccount>
  list(tenantId: string): Promise<TenantAccount[]>
  /** False when the tenant has no such account. */
  remove(tenantId: string, id: string, record?: RecordChange): Promise<boolean>
}

export interface OwnerAccount extends TenantAccount {
  /** Whether the account existed and was changed, so that its earlier tokens must be refused. */
  isTakenOver: boolean
  sessionVersion: number
}

/**
 * Called with what `ensureOwner` did to the account. Returns the function that records this action, or undefined if the
 * action is not recorded.
 */
export type RecordOwner = (action: 'account.created' | 'account.password_reset') => RecordChange | undefined

/** A change of an account. `rolesBefore` is null if the account is created, and `rolesAfter` if it is removed. */
export interface AccountChange {
  account: { id: string; email: string }
  rolesBefore: readonly string[] | null
  rolesAfter: readonly string[] | null
}

/** Called in the transaction of a change, for example to write its audit row. */
export type RecordChange = (tx: Tx, change: AccountChange) => Promise<void>

export interface AccountOptions {
  database: Database
  passwords: Passwords
  clock: Clock
}

const DEVELOPER_ROLES = ['developer']
const ADMIN: Role = 'admin'

export function createDevelopers(options: AccountOptions): Developers {
  const { database, passwords } = options
  return {
    async create({ id, email, organizationId, password }) {
      const address = emailAddress(email)
      if (password !== undefined) requireGoodPassword(password, address)
      const oneTimePassword = password === undefined ? newOneTimePassword() : undefined
      const row = { id, email: address, organizationId, roles: DEVELOPER_ROLES }
      await insert(options, 'developers', row, { password: password ?? oneTimePassword!, oneTimePassword })
      const developer = { id, email: address, organizationId }
      return oneTimePassword === undefined ? developer : { ...developer, oneTimePassword }
    },
    async renewInvitation(id) {
      const account = await store.findEnabled(database, 'developers', id)
      if (!account?.passwordIsOneTime) return undefined
      const oneTimePassword = newOneTimePassword()
      const hash = await passwords.hash(oneTimePassword)
      const replaced = await replacePassword(database, 'developers', account, { hash, oneTime: true })
      return replaced ? { oneTimePassword } : undefined
    },
    async find(email) {
      const row = await store.findDeveloper(database, canonicalEmail(email))
      return row && { id: row.id, email: row.email, organizationId: row.organizationId }
    },
    async hasPassword(id, password) {
      const account = await store.findAccount(database, 'developers', id)
      return account !== undefined && (await verifyPassword(password, account.password))
    },
    async setDisabled(tx, id, isDisabled) {
      await store.setDisabled(tx, 'developers', id, isDisabled)
      const owned = await store.listOfOwner(tx, id)
      for (const account of owned) await store.setDisabled(tx, 'sandboxes', account.id, isDisabled)
      if (isDisabled) {
        await endSessions(tx, 'developers', [id])
        await endSessions(
          tx,
          'sandboxes',
          owned.map((account) => account.id),
        )
      }
      return owned.map((account) => ({ id: account.id, tenantId: account.organizationId }))
    },
  }
}

export function createTenantAccounts(options: AccountOptions): TenantAccounts {
  const { database } = options
  return {
    async create({ tenantId, email, roles }, record) {
      const account = { id: randomUUID(), email: emailAddress(email), roles: [...new Set(roles)] }
      const oneTimePassword = newOneTimePassword()
      const row = { ...account, organizationId: tenantId }
      await insert(options, 'sandboxes', row, { password: oneTimePassword, oneTimePassword }, (tx) =>
        record?.(tx, { account, rolesBefore: null, rolesAfter: account.roles }),
      )
      return { ...account, oneTimePassword }
    },
    async ensureOwner(tenantId, { id: ownerId, email: address }, record) {
      const known = await store.findOfOwner(database, tenantId, ownerId)
      if (known?.roles.includes(ADMIN)) return toOwner(known)
      const email = canonicalEmail(address)
      // Nobody gets this password: the owner signs in to this account only with the links of `ownerSession`.
      const password = await options.passwords.hash(newOneTimePassword())
      return await database.transaction(async (tx) => {
        await store.lockTenant(tx, tenantId)
        const found =
          (await store.findOfOwner(tx, tenantId, ownerId)) ?? (await store.findOfTenant(tx, tenantId, email))
        if (found === undefined) {
          checkQuota('accounts', await store.countOfTenant(tx, tenantId))
          const account = { id: randomUUID(), email, roles: [ADMIN] }
          const credential = { password, passwordIsOneTime: true, createdAt: options.clock.now() }
          await store.insertAccount(tx, 'sandboxes', { ...account, organizationId: tenantId, ownerId, ...credential })
          await record?.('account.created')?.(tx, { account, rolesBefore: null, rolesAfter: account.roles })
          return { ...account, isTakenOver: false, sessionVersion: 0 }
        }
        if (found.ownerId === ownerId && found.roles.includes(ADMIN)) return toOwner(found)
        const roles = [...new Set([...found.roles, ADMIN])]
        await store.giveToOwner(tx, found.id, { ownerId, password, roles })
        await endSessions(tx, 'sandboxes', [found.id])
        const change = { account: found, rolesBefore: found.roles, rolesAfter: roles }
        await record?.('account.password_reset')?.(tx, change)
        const taken = (await store.findAccount(tx, 'sandboxes', found.id))!
        return { ...toOwner(taken), isTakenOver: true }
      })
    },
    async list(tenantId) {
      const rows = await store.listOfTenant(database, tenantId)
      return rows.map(toAccount)
    },
    async remove(tenantId, id, record) {
      return await database.transaction(async (tx) => {
        const account = await store.findAccountForUpdate(tx, 'sandboxes', id)
        if (account?.organizationId !== tenantId) return false
        await store.deleteAccount(tx, 'sandboxes', id)
        await models.deleteOfAccounts(tx, 'sandboxes', [id])
        await record?.(tx, { account, rolesBefore: account.roles, rolesAfter: null })
        return true
      })
    },
  }
}

const toAccount = ({ id, email, roles }: store.AccountRow): TenantAccount => ({ id, email, roles })
const toOwner = (row: store.AccountRow): OwnerAccount => ({
  ...toAccount(row),
  isTakenOver: false,
  sessionVersion: row.sessionVersion ?? 0,
})

/**
 * Replaces the password and ends all sessions. Returns the changed account; undefined when somebody else has changed the
 * password meanwhile.
 */
export async function replacePassword(
  database: Database,
  realm: RealmName,
  account: store.AccountRow,
  { hash, oneTime }: { hash: string; oneTime: boolean },
): Promise<store.AccountRow | undefined> {
  return await database.transaction(async (tx) => {
    const change = { password: hash, oneTime, was: account.password }
    if (!(await store.updatePassword(tx, realm, account.id, change))) return undefined
    await endSessions(tx, realm, [account.id])
    return await store.findAccount(tx, realm, account.id)
  })
}

async function insert(
  { database, passwords, clock }: AccountOptions,
  realm: RealmName,
  account: store.Account,
  { password, oneTimePassword }: { password: string; oneTimePassword: string | undefined },
  record?: (tx: Tx) => Promise<void> | undefined,
): Promise<void> {
  const passwordIsOneTime = oneTimePassword !== undefined
  const row = { ...account, password: await passwords.hash(password), passwordIsOneTime, createdAt: clock.now() }
  await insertAccount(database, realm, row, record)
}

/** Adds an account. `record` is called in the same transaction. */
export async function insertAccount(
  database: Database,
  realm: RealmName,
  account: store.AccountRow,
  record?: (tx: Tx) => Promise<void> | undefined,
): Promise<void> {
  try {
    await database.transaction(async (tx) => {
      if (realm === 'sandboxes') {
        checkQuota('accounts', await store.countOfTenant(tx, account.organizationId))
      }
      await store.insertAccount(tx, realm, account)
      await record?.(tx)
    })
  } catch (err) {
    if (isUniqueViolation(err, 'identity_accounts_pkey')) throw problems.conflict('id', `${account.id} exists already`)
    if (isUniqueViolation(err)) throw problems.conflict('email', `${account.email} has an account already`)
    throw err
  }
}
