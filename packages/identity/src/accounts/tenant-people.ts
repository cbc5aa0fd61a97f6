import { randomUUID } from 'node:crypto'
import {
  type AccountCreate,
  emailAddress,
  type NewSandboxAccount,
  problems,
  type Role,
  type SandboxAccount,
} from '@storey/contract'
import type { Tx } from '@storey/kit/database'
import * as models from '../realm/models.store.ts'
import * as store from './accounts.store.ts'
import { type AccountOptions, insertAccount, type RecordChange } from './accounts.ts'
import { endSessions } from './end-sessions.ts'
import { newOneTimePassword } from './passwords.ts'
import { TooManyWaiting } from './task-queue.ts'

const REALM = 'sandboxes'
/** An administrator who could reset the owner's password would keep access as the owner, even after being removed. */
const OWNERS_ACCOUNT =
  'This is the account of the owner of the sandbox: it cannot be changed here, and only the owner can remove it'
const ADMIN: Role = 'admin'

export interface ChangeRules {
  /** Throws if the account has changed since the caller read it. */
  check(account: SandboxAccount): void
  record: RecordChange
}

/**
 * The accounts of a tenant, for its administrators to manage. A change that would leave the tenant without an
 * administrator who can sign in is refused.
 */
export interface TenantPeople {
  list(tenantId: string): Promise<SandboxAccount[]>
  find(tenantId: string, id: string): Promise<SandboxAccount | undefined>
  create(tenantId: string, account: AccountCreate, rules: Pick<ChangeRules, 'record'>): Promise<NewSandboxAccount>
  setRoles(tenantId: string, id: string, roles: readonly Role[], rules: ChangeRules): Promise<SandboxAccount>
  /** Sets a one-time password and ends all sessions of the account. */
  resetPassword(tenantId: string, id: string, rules: ChangeRules): Promise<NewSandboxAccount>
  remove(tenantId: string, id: string, rules: ChangeRules): Promise<void>
}

export function createTenantPeople(options: AccountOptions): TenantPeople {
  const { database, passwords, clock } = options

  /**
   * Each tenant has its own queue of passwords that wait to be hashed, and the length of the queue is limited, so that
   * one tenant does not delay the sign-ins of others.
   */
  async function hashFor(tenantId: string, password: string): Promise<string> {
    try {
      return await passwords.hash(password, { key: `tenant ${tenantId}`, isKnown: true })
    } catch (err) {
      if (err instanceof TooManyWaiting) throw problems.notReady('Too many passwords of this sandbox are being set', 2)
      throw err
    }
  }

  async function findIn(tx: Tx, tenantId: string, id: string): Promise<store.AccountRow> {
    const row = await store.findAccount(tx, REALM, id)
    if (row?.organizationId !== tenantId) throw problems.notFound('account')
    return row
  }

  /** Changes of a tenant's accounts wait for each other: two at once could remove its last two administrators. */
  async function change<T>(tenantId: string, id: string, rules: ChangeRules, work: Work<T>): Promise<T> {
    return await database.transaction(async (tx) => {
      await store.lockTenant(tx, tenantId)
      const row = await findIn(tx, tenantId, id)
      rules.check(toRecord(row))
      if (row.ownerId != null) throw problems.conflict('id', OWNERS_ACCOUNT)
      return await work(tx, row)
    })
  }

  async function keepAdministrator(tx: Tx, row: store.AccountRow, roles: readonly string[]): Promise<void> {
    if (!row.roles.includes(ADMIN) || roles.includes(ADMIN)) return
    const all = await store.listOfTenant(tx, row.organizationId)
    const canSignIn = ({ disabledAt }: store.AccountRow) => disabledAt == null
    if (all.some((other) => other.id !== row.id && other.roles.includes(ADMIN) && canSignIn(other))) return
    throw problems.conflict(
      'roles',
      `${row.email} is the last administrator: give another account the role admin first`,
    )
  }

  return {
    list: async (tenantId) => (await store.listOfTenant(database, tenantId)).map(toRecord),
    async find(tenantId, id) {
      const row = await store.findAccount(database, REALM, id)
      return row?.organizationId === tenantId ? toRecord(row) : undefined
    },
    async create(tenantId, account, { record }) {
      const oneTimePassword = newOneTimePassword()
      const row = {
        id: randomUUID(),
        organizationId: tenantId,
        email: emailAddress(account.email),
        roles: [...new Set(account.roles)],
        password: await hashFor(tenantId, oneTimePassword),
        passwordIsOneTime: true,
        createdAt: clock.now(),
      }
      await insertAccount(database, REALM, row, (tx) =>
        record(tx, { account: row, rolesBefore: null, rolesAfter: row.roles }),
      )
      return { ...toRecord(row), oneTimePassword }
    },
    setRoles: (tenantId, id, given, rules) =>
      change(tenantId, id, rules, async (tx, row) => {
        const roles = [...new Set(given)]
        if (new Set([...roles, ...row.roles]).size === roles.length && roles.length === row.roles.length)
          return toRecord(row)
        await keepAdministrator(tx, row, roles)
        await store.updateRoles(tx, id, roles)
        await rules.record(tx, { account: row, rolesBefore: row.roles, rolesAfter: roles })
        return toRecord({ ...row, roles })
      }),
    async resetPassword(tenantId, id, rules) {
      const oneTimePassword = newOneTimePassword()
      const password = await hashFor(tenantId, oneTimePassword)
      return await change(tenantId, id, rules, async (tx, row) => {
        await store.setOneTimePassword(tx, id, password)
        await endSessions(tx, REALM, [id])
        await rules.record(tx, { account: row, rolesBefore: row.roles, rolesAfter: row.roles })
        return { ...toRecord({ ...row, passwordIsOneTime: true }), oneTimePassword }
      })
    },
    remove: (tenantId, id, rules) =>
      change(tenantId, id, rules, async (tx, row) => {
        await keepAdministrator(tx, row, [])
        await store.deleteAccount(tx, REALM, id)
        await models.deleteOfAccounts(tx, REALM, [id])
        await rules.record(tx, { account: row, rolesBefore: row.roles, rolesAfter: null })
      }),
  }
}

type Work<T> = (tx: Tx, row: store.AccountRow) => Promise<T>

const toRecord = ({ id, email, roles, passwordIsOneTime, ownerId, createdAt }: store.AccountRow): SandboxAccount => ({
  id,
  email,
  roles,
  hasOneTimePassword: passwordIsOneTime,
  isOwner: ownerId != null,
  createdAt: createdAt.toISOString(),
})
