import { QUOTAS } from '@storey/contract'
import { countLocked, type Queryable, sql, type Tx } from '@storey/kit/database'
import type { RealmName } from '../realm/names.ts'

export interface Account {
  id: string
  organizationId: string
  email: string
  roles: string[]
}

export interface AccountRow extends Account {
  password: string
  passwordIsOneTime: boolean
  createdAt: Date
  /** The developer who owns the sandbox, if this is that developer's account; null or absent for all other accounts. */
  ownerId?: string | null
  /** When the operator disabled the account; null or absent: the account is enabled. */
  disabledAt?: Date | null
  /** Incremented whenever all sessions of the account are ended; absent: 0. */
  sessionVersion?: number
}

const columns = sql`id, organization_id as "organizationId", email, roles, password,
  password_is_one_time as "passwordIsOneTime", created_at as "createdAt", disabled_at as "disabledAt", owner_id as "ownerId",
  session_version as "sessionVersion"`

type Found = AccountRow & Record<string, unknown>

export async function insertAccount(db: Queryable, realm: RealmName, account: AccountRow): Promise<void> {
  await db.run(sql`insert into identity_accounts
    (realm, id, organization_id, email, roles, password, password_is_one_time, created_at, owner_id)
    values (${realm}, ${account.id}, ${account.organizationId}, ${account.email}, ${account.roles},
      ${account.password}, ${account.passwordIsOneTime}, ${account.createdAt}, ${account.ownerId ?? null})`)
}

const LOCK_SPACE = 7_305_031

/**
 * Transactions that call this function for the same tenant wait for each other. The lock does not stop other changes
 * of accounts, because some transactions that change accounts do not call this function.
 */
export async function lockTenant(tx: Tx, tenantId: string): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCK_SPACE}, hashtext(${tenantId}))`)
}

/** Counts the accounts of a tenant under a lock, so that concurrent inserts cannot exceed the quota. */
export async function countOfTenant(tx: Tx, tenantId: string): Promise<number> {
  const rows = sql`identity_accounts where realm = 'sandboxes' and organization_id = ${tenantId}`
  return await countLocked(tx, `accounts ${tenantId}`, rows, QUOTAS.accounts.limit)
}

export async function findAccount(db: Queryable, realm: RealmName, id: string): Promise<AccountRow | undefined> {
  return await db.row<Found>(sql`select ${columns} from identity_accounts where realm = ${realm} and id = ${id}`)
}

/** Locks the row of the account, so that nobody else changes it before the transaction ends. */
export async function findAccountForUpdate(tx: Tx, realm: RealmName, id: string): Promise<AccountRow | undefined> {
  return await tx.row<Found>(
    sql`select ${columns} from identity_accounts where realm = ${realm} and id = ${id} for update`,
  )
}

export async function findDeveloper(db: Queryable, email: string): Promise<AccountRow | undefined> {
  return await db.row<Found>(
    sql`select ${columns} from identity_accounts where realm = 'developers' and email = ${email}`,
  )
}

export async function findOfTenant(db: Queryable, tenantId: string, email: string): Promise<AccountRow | undefined> {
  return await db.row<Found>(sql`select ${columns} from identity_accounts
    where realm = 'sandboxes' and organization_id = ${tenantId} and email = ${email}`)
}

/** The account of the owner in this sandbox. */
export async function findOfOwner(db: Queryable, tenantId: string, ownerId: string): Promise<AccountRow | undefined> {
  return await db.row<Found>(sql`select ${columns} from identity_accounts
    where realm = 'sandboxes' and organization_id = ${tenantId} and owner_id = ${ownerId}`)
}

/** The accounts of this developer in all sandboxes. */
export async function listOfOwner(db: Queryable, ownerId: string): Promise<AccountRow[]> {
  return await db.rows<Found>(sql`select ${columns} from identity_accounts
    where realm = 'sandboxes' and owner_id = ${ownerId} order by id`)
}

/** Turns an account into the account of the owner, with these roles and a password that nobody knows. */
export async function giveToOwner(
  db: Queryable,
  id: string,
  { ownerId, password, roles }: { ownerId: string; password: string; roles: readonly string[] },
): Promise<void> {
  await db.run(sql`update identity_accounts
    set owner_id = ${ownerId}, roles = ${roles}, password = ${password}, password_is_one_time = true
    where realm = 'sandboxes' and id = ${id}`)
}

export async function listOfTenant(db: Queryable, tenantId: string): Promise<AccountRow[]> {
  return await db.rows<Found>(sql`select ${columns} from identity_accounts
    where realm = 'sandboxes' and organization_id = ${tenantId} order by created_at, id`)
}

/** Like `findAccount`, but undefined for a disabled account. */
export async function findEnabled(db: Queryable, realm: RealmName, id: string): Promise<AccountRow | undefined> {
  const account = await findAccount(db, realm, id)
  return account?.disabledAt == null ? account : undefined
}

export async function setDisabled(db: Queryable, realm: RealmName, id: string, isDisabled: boolean): Promise<void> {
  const at = isDisabled ? sql`coalesce(disabled_at, now())` : sql`null`
  await db.run(sql`update identity_accounts set disabled_at = ${at} where realm = ${realm} and id = ${id}`)
}

export async function updatePassword(
  db: Queryable,
  realm: RealmName,
  id: string,
  { password, oneTime, was }: { password: string; oneTime: boolean; was: string },
): Promise<boolean> {
  const changed = await db.run(sql`update identity_accounts
    set password = ${password}, password_is_one_time = ${oneTime}
    where realm = ${realm} and id = ${id} and password = ${was}`)
  return changed === 1
}

export async function setOneTimePassword(db: Queryable, id: string, password: string): Promise<void> {
  await db.run(sql`update identity_accounts set password = ${password}, password_is_one_time = true
    where realm = 'sandboxes' and id = ${id}`)
}

export async function raiseSessionVersions(db: Queryable, realm: RealmName, ids: readonly string[]): Promise<void> {
  await db.run(sql`update identity_accounts set session_version = session_version + 1
    where realm = ${realm} and id = any(${ids})`)
}

export async function updateRoles(db: Queryable, id: string, roles: readonly string[]): Promise<void> {
  await db.run(sql`update identity_accounts set roles = ${roles} where realm = 'sandboxes' and id = ${id}`)
}

export async function deleteAccount(db: Queryable, realm: RealmName, id: string): Promise<boolean> {
  return (await db.run(sql`delete from identity_accounts where realm = ${realm} and id = ${id}`)) === 1
}

export async function deleteOfTenant(db: Queryable, tenantId: string): Promise<void> {
  await db.run(sql`delete from identity_accounts where realm = 'sandboxes' and organization_id = ${tenantId}`)
}
