import { randomUUID } from 'node:crypto'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ChangeRules, Directory } from '../features/accounts/index.ts'
import { createExternalDirectory } from './external-directory.ts'
import type { AdminUser, IdentityAdmin } from './identity-admin.ts'

let test: TestDatabase
let users: Map<string, AdminUser & { tenantId: string }>
let origins: Set<string>
let directory: Directory

/** An external provider that has users and the origins of shells, but no service accounts. */
function memoryAdmin(): IdentityAdmin {
  const of = (tenantId: string) => [...users.values()].filter((user) => user.tenantId === tenantId)
  return {
    listUsers: async (tenantId) => of(tenantId),
    findUser: async (tenantId, id) => of(tenantId).find((user) => user.id === id),
    async createUser(tenantId, { email, roles }) {
      const user = { id: randomUUID(), email, roles: [...roles], hasOneTimePassword: true, isOwn: true }
      users.set(user.id, { ...user, tenantId, createdAt: new Date() })
      return users.get(user.id)!
    },
    setRoles: async (id, roles) => void users.set(id, { ...users.get(id)!, roles: [...roles] }),
    setOneTimePassword: async () => undefined,
    removeUser: async (id) => void users.delete(id),
    listServiceAccounts: async () => [],
    findServiceAccount: async () => undefined,
    createServiceAccount: () => Promise.reject(new Error('not in this test')),
    removeServiceAccount: async () => undefined,
    async changeShellOrigins({ add = [], remove = [] }) {
      for (const origin of remove) origins.delete(origin)
      for (const origin of add) origins.add(origin)
    },
  }
}

const rules: ChangeRules = { check: () => undefined, record: async () => undefined }
const A = 'org_a'

beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
})
afterAll(() => test.drop())
beforeEach(() => {
  users = new Map()
  origins = new Set()
  const sandboxUrl = (slug: string) => `https://${slug}.example`
  directory = createExternalDirectory({ control: test.database, admin: memoryAdmin(), sandboxUrl })
})

describe('[IDN-42] accounts at an external provider', () => {
  const create = (email: string, role: 'admin' | 'user') => directory.people.create(A, { email, roles: [role] }, rules)

  it('are created with a one-time password, changed and removed', async () => {
    const ann = await create(' Ann@x.example', 'admin')
    expect(ann).toMatchObject({ email: 'ann@x.example', hasOneTimePassword: true })
    expect(ann.oneTimePassword).toMatch(/^([A-Z][a-z]{2}\d[a-z\d]-){3}[A-Z][a-z]{2}\d[a-z\d]$/)
    const bob = await create('bob@x.example', 'user')
    expect(await directory.people.setRoles(A, bob.id, ['manager'], rules)).toMatchObject({ roles: ['manager'] })
    await directory.people.remove(A, bob.id, rules)
    expect((await directory.accounts.list(A)).map(({ email }) => email)).toEqual(['ann@x.example'])
  })

  it('still include an administrator if the last two are removed at the same time', async () => {
    const [ann, bob] = [await create('ann@x.example', 'admin'), await create('bob@x.example', 'admin')]
    const removals = [ann, bob].map(({ id }) => directory.people.remove(A, id, rules))
    const results = await Promise.allSettled(removals)
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(users.size).toBe(1)
  })

  it('are not changed if they belong to another tenant, or if Storey did not create them', async () => {
    const ann = await create('ann@x.example', 'admin')
    await expect(directory.people.remove('org_b', ann.id, rules)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    users.set(ann.id, { ...users.get(ann.id)!, isOwn: false })
    for (const change of [
      () => directory.people.remove(A, ann.id, rules),
      () => directory.people.resetPassword(A, ann.id, rules),
      () => directory.people.setRoles(A, ann.id, ['user'], rules),
      () => directory.accounts.remove(A, ann.id),
    ])
      await expect(change()).rejects.toMatchObject({ code: 'CONFLICT' })
    await directory.removeTenant({ tenantId: A, slug: 'tower' })
    expect(users.size).toBe(1)
  })

  it('are neither created nor changed without a row in the audit log', async () => {
    const failing: ChangeRules = { ...rules, record: () => Promise.reject(new Error('disk full')) }
    const account = { email: 'ann@x.example', roles: ['user' as const] }
    await expect(directory.people.create(A, account, failing)).rejects.toThrow('disk full')
    expect(users.size).toBe(0)
    const ann = await create('ann@x.example', 'user')
    await expect(directory.people.setRoles(A, ann.id, ['manager'], failing)).rejects.toThrow('disk full')
    expect(users.get(ann.id)!.roles).toEqual(['user'])
  })

  it('can sign in at the addresses of their sandboxes until the sandboxes are removed', async () => {
    const tenants = ['tower', 'mall'].map((slug) => ({ tenantId: `org_${slug}`, slug }))
    await directory.openTenants!(tenants)
    expect([...origins]).toEqual(['https://tower.example', 'https://mall.example'])
    await directory.removeTenant(tenants[0]!)
    expect([...origins]).toEqual(['https://mall.example'])
  })
})
