import {
  type AccountCreate,
  checkQuota,
  emailAddress,
  type NewSandboxAccount,
  problems,
  type Role,
  type SandboxAccount,
} from '@storey/contract'
import type { Database, Tx } from '@storey/kit/database'
import type { ChangeRules, Directory, Tenant } from '../features/accounts/index.ts'
import { lockChanges } from './external-directory.store.ts'
import type { AdminUser, IdentityAdmin } from './identity-admin.ts'
import { newOneTimePassword } from './one-time-password.ts'

export interface ExternalDirectoryOptions {
  control: Database
  admin: IdentityAdmin
  /** The address of the sandbox with this slug. */
  sandboxUrl(slug: string): string
}

const ADMIN: Role = 'admin'
const SHELLS = 'shell origins'

/**
 * The accounts of sandboxes at an external provider. The provider has no transactions: a change is made while the
 * database transaction with its audit row is open, so that a change that the provider refuses leaves no audit row.
 */
export function createExternalDirectory({ control, admin, sandboxUrl }: ExternalDirectoryOptions): Directory {
  async function create(
    tenantId: string,
    { email, roles }: AccountCreate,
    record?: ChangeRules['record'],
  ): Promise<NewSandboxAccount> {
    const password = newOneTimePassword()
    const address = emailAddress(email)
    return await control.transaction(async (tx) => {
      await lockChanges(tx, tenantId)
      checkQuota('accounts', (await admin.listUsers(tenantId)).length)
      const user = await admin.createUser(tenantId, { email: address, roles: [...new Set(roles)], password })
      try {
        await record?.(tx, { account: user, rolesBefore: null, rolesAfter: user.roles })
      } catch (err) {
        await admin.removeUser(user.id)
        throw err
      }
      return { ...toRecord(user), oneTimePassword: password }
    })
  }

  async function ownUser(tenantId: string, id: string): Promise<AdminUser> {
    const user = await admin.findUser(tenantId, id)
    if (user === undefined) throw problems.notFound('account')
    if (user.isOwn) return user
    throw problems.conflict('id', `${user.email} was created in the identity provider, which manages it`)
  }

  /**
   * Changes of a tenant's accounts wait for each other, so that two of them cannot remove the last two administrators.
   */
  async function change<T>(
    tenantId: string,
    id: string,
    check: ChangeRules['check'],
    work: (tx: Tx, user: AdminUser) => Promise<T>,
  ): Promise<T> {
    return await control.transaction(async (tx) => {
      await lockChanges(tx, tenantId)
      const user = await ownUser(tenantId, id)
      check(toRecord(user))
      return await work(tx, user)
    })
  }

  async function keepAdministrator(tenantId: string, user: AdminUser, roles: readonly string[]): Promise<void> {
    if (!user.roles.includes(ADMIN) || roles.includes(ADMIN)) return
    const all = await admin.listUsers(tenantId)
    if (all.some((other) => other.id !== user.id && other.roles.includes(ADMIN))) return
    throw problems.conflict(
      'roles',
      `${user.email} is the last administrator: give another account the role admin first`,
    )
  }

  async function openTenants(tenants: readonly Tenant[]): Promise<void> {
    await control.transaction(async (tx) => {
      await lockChanges(tx, SHELLS)
      await admin.changeShellOrigins({ add: tenants.map(({ slug }) => sandboxUrl(slug)) })
    })
  }

  return {
    accounts: {
      async create(tenantId, account, record) {
        const { id, email, roles, oneTimePassword } = await create(tenantId, account, record)
        return { id, email, roles, oneTimePassword }
      },
      list: async (tenantId) => (await admin.listUsers(tenantId)).map(toAccount),
      async find(tenantId, id) {
        const user = await admin.findUser(tenantId, id)
        return user && toAccount(user)
      },
      async remove(tenantId, id, record) {
        if ((await admin.findUser(tenantId, id)) === undefined) return false
        await change(
          tenantId,
          id,
          () => undefined,
          async (tx, user) => {
            await record?.(tx, { account: user, rolesBefore: user.roles, rolesAfter: null })
            await admin.removeUser(id)
          },
        )
        return true
      },
    },
    serviceAccounts: {
      create: (tenantId, account, _record, check) =>
        control.transaction(async (tx) => {
          await lockChanges(tx, tenantId)
          await check?.(tx)
          checkQuota('serviceAccounts', (await admin.listServiceAccounts(tenantId)).length)
          return await admin.createServiceAccount(tenantId, { ...account, roles: [...new Set(account.roles)] })
        }),
      list: (tenantId) => admin.listServiceAccounts(tenantId),
      find: (tenantId, id) => admin.findServiceAccount(tenantId, id),
      async remove(tenantId, id) {
        const account = await admin.findServiceAccount(tenantId, id)
        if (account === undefined) return false
        await admin.removeServiceAccount(account)
        return true
      },
    },
    people: {
      list: async (tenantId) => (await admin.listUsers(tenantId)).map(toRecord),
      async find(tenantId, id) {
        const user = await admin.findUser(tenantId, id)
        return user && toRecord(user)
      },
      create: (tenantId, account, { record }) => create(tenantId, account, record),
      setRoles: (tenantId, id, given, rules) =>
        change(tenantId, id, rules.check, async (tx, user) => {
          const roles = [...new Set(given)]
          if (roles.length === user.roles.length && roles.every((role) => user.roles.includes(role)))
            return toRecord(user)
          await keepAdministrator(tenantId, user, roles)
          await rules.record(tx, { account: user, rolesBefore: user.roles, rolesAfter: roles })
          await admin.setRoles(id, roles)
          return toRecord({ ...user, roles })
        }),
      resetPassword: (tenantId, id, rules) =>
        change(tenantId, id, rules.check, async (tx, user) => {
          const oneTimePassword = newOneTimePassword()
          await rules.record(tx, { account: user, rolesBefore: user.roles, rolesAfter: user.roles })
          await admin.setOneTimePassword(id, oneTimePassword)
          return { ...toRecord({ ...user, hasOneTimePassword: true }), oneTimePassword }
        }),
      remove: (tenantId, id, rules) =>
        change(tenantId, id, rules.check, async (tx, user) => {
          await keepAdministrator(tenantId, user, [])
          await rules.record(tx, { account: user, rolesBefore: user.roles, rolesAfter: null })
          await admin.removeUser(id)
        }),
    },
    openTenant: (tenant) => openTenants([tenant]),
    openTenants,
    async removeTenant({ tenantId, slug }) {
      for (const { id, isOwn } of await admin.listUsers(tenantId)) if (isOwn) await admin.removeUser(id)
      for (const account of await admin.listServiceAccounts(tenantId)) await admin.removeServiceAccount(account)
      await control.transaction(async (tx) => {
        await lockChanges(tx, SHELLS)
        await admin.changeShellOrigins({ remove: [sandboxUrl(slug)] })
      })
    },
  }
}

const toAccount = ({ id, email, roles }: AdminUser) => ({ id, email, roles })

const toRecord = ({ id, email, roles, hasOneTimePassword, createdAt }: AdminUser): SandboxAccount => ({
  id,
  email,
  roles,
  hasOneTimePassword,
  isOwner: false,
  createdAt: createdAt.toISOString(),
})
