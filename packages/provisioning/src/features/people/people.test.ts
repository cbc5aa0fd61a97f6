import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROLES, type Role } from '@storey/contract'
import { createIdentity, IDENTITY_MIGRATIONS, IDENTITY_MIGRATIONS_TABLE, type Identity } from '@storey/identity'
import { migrate, readMigrations, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testControlPlane } from '../../testing/control-plane.ts'
import type { Directory } from '../accounts/index.ts'

let test: Awaited<ReturnType<typeof testControlPlane>>
let realm: TestRealm
let identity: Identity
let tower: Sandbox
let mall: Sandbox

interface Sandbox {
  id: string
  host: string
  tenantId: string
  /** The key of the developer who owns the sandbox. */
  key: string
}
interface Person {
  id: string
  email: string
  sandbox: Sandbox
}

beforeAll(async () => {
  realm = await startTestRealm('/realms/sandboxes')
  const directory = {
    openTenant: async () => undefined,
    removeTenant: async () => undefined,
  } as unknown as Directory
  test = await testControlPlane({}, undefined, { directory })
  await test.control.session((session) =>
    migrate(session, readMigrations(IDENTITY_MIGRATIONS), { migrationsTable: IDENTITY_MIGRATIONS_TABLE }),
  )
  identity = await createIdentity({
    ...{ database: test.control, publicUrl: 'http://localhost:4000', masterSecret: 'secret', passwordWork: 2 },
    ...{ clock: test.clock, log: silentLog, shellOriginOf: () => 'http://x.localhost' },
  })
  Object.assign(directory, {
    people: identity.people,
    accounts: {
      create: (tenantId, account, record) => identity.accounts.create({ tenantId, ...account }, record),
      list: (tenantId) => identity.accounts.list(tenantId),
      find: async (tenantId, id) => (await identity.accounts.list(tenantId)).find((one) => one.id === id),
      remove: (tenantId, id, record) => identity.accounts.remove(tenantId, id, record),
    },
    serviceAccounts: {
      find: async (tenantId, id) => (await identity.serviceAccounts.list(tenantId)).find((one) => one.id === id),
    },
  } as Partial<Directory>)
  test.config.stack.sandboxesIssuer = realm.issuer
  await test.restart()
  ;[tower, mall] = [await newSandbox(), await newSandbox()]
})
afterAll(async () => {
  await identity.close()
  await test.drop()
  await realm.stop()
})
// Each test begins without accounts, and with new rate limits.
beforeEach(async () => {
  for (const { tenantId } of [tower, mall]) await identity.removeTenant(tenantId)
  test.clock.advance(61_000)
})

async function newSandbox(): Promise<Sandbox> {
  const key = await test.newKey()
  const { sandboxId: id, slug, organizationId: tenantId } = await test.create(key)
  await test.waitWhileProvisioning(key, id)
  return { id, host: `${slug}.localhost`, tenantId, key }
}

let created = 0
async function newPerson(sandbox: Sandbox, ...roles: Role[]): Promise<Person> {
  const email = `person${created++}@example.com`
  // Accounts are listed in the order of their creation.
  test.clock.advance(1)
  const { id } = await identity.accounts.create({ tenantId: sandbox.tenantId, email, roles })
  return { id, email, sandbox }
}

const seconds = () => Math.floor(test.clock.now().getTime() / 1000)
/** An access token with the claims that the embedded provider would issue now. */
const tokenOf = ({ id, sandbox }: Person, claims: object = {}) =>
  realm.sign({ sub: id, tenant_id: sandbox.tenantId, iat: seconds(), exp: seconds() + 600, ...claims })

const at = (sandbox: Sandbox, key: string, path: string, options: { method?: string; body?: object } = {}) =>
  test.call({ host: sandbox.host, key, path: `/api/v1/${path}`, ...options })
const rolesOf = async (sandbox: Sandbox, id: string) =>
  (await identity.accounts.list(sandbox.tenantId)).find((one) => one.id === id)?.roles
const sandboxToken = async ({ id, key }: Sandbox): Promise<string> =>
  (await test.call({ key, path: `/api/v1/sandboxes/${id}/connection` })).json.token

/** The requests for all changes that a caller can try on an account. */
const changesOf = (id: string) =>
  [
    ['accounts', { body: { email: 'new@example.com', roles: ['user'] } }],
    [`accounts/${id}`, { method: 'PATCH', body: { roles: ['admin'] } }],
    [`accounts/${id}/reset-password`, { method: 'POST' }],
    [`accounts/${id}`, { method: 'DELETE' }],
  ] as const
const READS = ['accounts', 'accounts/audit']

describe('the people of a sandbox', () => {
  it('[PPL-01] are listed with their email addresses for everybody who is signed in, and also with their roles for administrators', async () => {
    const sandbox = tower
    const [ann, ben] = [await newPerson(sandbox, 'admin'), await newPerson(sandbox, 'user')]
    const names = [ann, ben].map(({ id, email }) => ({ id, email }))
    for (const token of [await tokenOf(ann), await tokenOf(ben), await sandboxToken(sandbox)]) {
      expect((await at(sandbox, token, 'people')).json).toEqual({ data: names, total: 2, limit: 50, offset: 0 })
    }
    expect((await at(sandbox, await tokenOf(ann), 'accounts')).json.data[1]).toEqual({
      ...{ ...names[1], roles: ['user'], hasOneTimePassword: true, isOwner: false, createdAt: expect.any(String) },
    })
    expect((await at(sandbox, await tokenOf(ben), 'people?limit=1&offset=1')).json).toMatchObject({
      ...{ data: [names[1]], total: 2 },
    })
  })

  it('[PPL-01] are invited by an administrator, who gets a one-time password in that response only', async () => {
    const token = await tokenOf(await newPerson(tower, 'admin'))
    const made = await at(tower, token, 'accounts', { body: { email: 'Eve@Example.com', roles: ['manager', 'user'] } })
    expect(made.status).toBe(201)
    expect(made.headers['cache-control']).toBe('no-store')
    expect(made.json).toMatchObject({ email: 'eve@example.com', roles: ['manager', 'user'], hasOneTimePassword: true })
    expect(made.json.oneTimePassword).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/)
    const read = await at(tower, token, `accounts/${made.json.id}`)
    expect(read.json.oneTimePassword).toBeUndefined()
    const again = await at(tower, token, 'accounts', { body: { email: 'eve@example.com', roles: ['user'] } })
    expect(again.json).toMatchObject({ status: 409, code: 'CONFLICT', field: 'email' })
  })

  it('[PPL-02] of another sandbox can be neither read nor changed, whichever roles the caller has in its own sandbox', async () => {
    const [ann, ben] = [await newPerson(tower, 'admin'), await newPerson(mall, 'admin', 'user')]
    const before = await identity.accounts.list(mall.tenantId)
    // At the mall's address, tokens of the tower are refused.
    for (const token of [await tokenOf(ann), await sandboxToken(tower)]) {
      for (const path of ['people', ...READS]) {
        expect([401, 403], path).toContain((await at(mall, token, path)).status)
      }
      for (const [path, options] of changesOf(ben.id)) {
        expect([401, 403], path).toContain((await at(mall, token, path, options)).status)
      }
    }
    // At the tower's address, an account of the mall is not found.
    for (const token of [await tokenOf(ann), await sandboxToken(tower)]) {
      for (const [path, options] of changesOf(ben.id).slice(1)) {
        expect((await at(tower, token, path, options)).json, path).toMatchObject({ status: 404, code: 'NOT_FOUND' })
      }
      expect((await at(tower, token, `accounts/${ben.id}`)).status).toBe(404)
    }
    // A token of the tower's tenant is refused if the tower does not have the account of the token.
    expect((await at(tower, await tokenOf({ ...ben, sandbox: tower }), 'people')).status).toBe(401)
    expect(await identity.accounts.list(mall.tenantId)).toEqual(before)
  })

  it('[PPL-02] are not accessible with an API key, and the provisioning API is not accessible with the token of an account', async () => {
    const ann = await newPerson(tower, 'admin')
    for (const path of ['people', ...READS]) {
      expect((await at(tower, tower.key, path)).status, path).toBe(401)
      expect((await test.call({ key: tower.key, path: `/api/v1/${path}` })).status, path).toBe(404)
      expect((await test.call({ host: tower.host, path: `/api/v1/${path}` })).status, path).toBe(401)
    }
    const there = await test.call({ key: await tokenOf(ann), path: `/api/v1/sandboxes/${tower.id}/accounts` })
    expect(there.status).toBe(401)
  })
})

describe('[PPL-03] the roles of accounts', () => {
  it('are changed only by callers who are administrators now, whatever roles are in their token', async () => {
    const ann = await newPerson(tower, 'admin')
    const claims = { realm_access: { roles: [...ROLES, 'platform-administrator'] } }
    for (const role of ROLES.filter((one) => one !== 'admin')) {
      const token = await tokenOf(await newPerson(tower, role), claims)
      for (const path of READS) expect((await at(tower, token, path)).status, `${role} ${path}`).toBe(403)
      for (const [path, options] of changesOf(ann.id)) {
        const { json } = await at(tower, token, path, options)
        expect(json, `${role} ${path}`).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' })
      }
    }
    const program = await identity.serviceAccounts.create({ tenantId: tower.tenantId, name: 'x', roles: ['manager'] })
    expect((await at(tower, await tokenOf({ ...ann, id: program.id }, claims), 'accounts')).status).toBe(403)
    expect(await rolesOf(tower, ann.id)).toEqual(['admin'])
  })

  it('must be one or more different roles that a sandbox has, and are changed without other fields', async () => {
    const [token, ben] = [await tokenOf(await newPerson(tower, 'admin')), await newPerson(tower, 'user')]
    for (const roles of [['platform-administrator'], ['developer'], [], ['user', 'user'], 'admin']) {
      const patched = await at(tower, token, `accounts/${ben.id}`, { method: 'PATCH', body: { roles } })
      expect(patched.json).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
      const made = await at(tower, token, 'accounts', { body: { email: 'x@example.com', roles } })
      expect(made.json).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    }
    const more = { roles: ['user'], email: 'else@example.com' }
    expect((await at(tower, token, `accounts/${ben.id}`, { method: 'PATCH', body: more })).status).toBe(400)
    expect(await rolesOf(tower, ben.id)).toEqual(['user'])
  })

  it('cannot be changed by the account itself, and one administrator always remains', async () => {
    const sandbox = tower
    const ann = await newPerson(sandbox, 'admin')
    const token = await tokenOf(ann)
    const own = `accounts/${ann.id}`
    for (const [path, options] of changesOf(ann.id).slice(1)) {
      expect((await at(sandbox, token, path, options)).json).toMatchObject({ code: 'CONFLICT', field: 'id' })
    }
    const owner = await sandboxToken(sandbox)
    for (const options of [{ method: 'PATCH', body: { roles: ['user'] } }, { method: 'DELETE' }]) {
      expect((await at(sandbox, owner, own, options)).json).toMatchObject({ code: 'CONFLICT', field: 'roles' })
    }
    expect(await rolesOf(sandbox, ann.id)).toEqual(['admin'])
  })

  it('still include an administrator after two administrators try to remove each other at the same time', async () => {
    const sandbox = tower
    const both = [await newPerson(sandbox, 'admin'), await newPerson(sandbox, 'admin')]
    const tokens = await Promise.all(both.map((one) => tokenOf(one)))
    const answers = await Promise.all(
      [0, 1].map((i) => at(sandbox, tokens[i]!, `accounts/${both[1 - i]!.id}`, { method: 'DELETE' })),
    )
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
    expect((await identity.accounts.list(sandbox.tenantId)).map(({ roles }) => roles)).toEqual([['admin']])
  })
})

describe('[PPL-04] a change of an account', () => {
  const reported = ({ id }: Sandbox) => {
    const file = join(test.folder, id, 'revoked')
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  it('revokes the earlier tokens of the account, in the control plane and in the stack', async () => {
    const [ann, ben, carl] = [
      await newPerson(tower, 'admin'),
      await newPerson(tower, 'admin'),
      await newPerson(tower, 'user'),
    ]
    await test.call({ host: tower.host, path: '/environment' })
    const [token, old] = [await tokenOf(ann), await tokenOf(ben)]
    const patch = { method: 'PATCH', body: { roles: ['user'] } }
    expect((await at(tower, token, `accounts/${ben.id}`, patch)).json).toMatchObject({ roles: ['user'] })
    expect((await at(tower, old, 'people')).status).toBe(401)
    await expect.poll(() => reported(tower)).toContain(`${realm.issuer} ${ben.id}`)
    test.clock.advance(2_000)
    expect((await at(tower, await tokenOf(ben), 'people')).status).toBe(200)
    expect((await at(tower, await tokenOf(ben), 'accounts')).status).toBe(403)

    const token2 = await tokenOf(carl)
    const reset = await at(tower, token, `accounts/${carl.id}/reset-password`, { method: 'POST' })
    expect(reset.json).toMatchObject({ id: carl.id, hasOneTimePassword: true, oneTimePassword: expect.any(String) })
    expect((await at(tower, token2, 'people')).status).toBe(401)
    test.clock.advance(2_000)
    expect((await at(tower, token, `accounts/${carl.id}`, { method: 'DELETE' })).status).toBe(204)
    test.clock.advance(2_000)
    expect((await at(tower, await tokenOf(carl), 'people')).status).toBe(401)
    await expect.poll(() => reported(tower)).toContain(carl.id)
  })

  it('that changes nothing leaves the tokens of the account valid', async () => {
    const [ann, ben] = [await newPerson(tower, 'admin'), await newPerson(tower, 'user', 'manager')]
    const token = await tokenOf(ben)
    const same = { method: 'PATCH', body: { roles: ['manager', 'user'] } }
    expect((await at(tower, await tokenOf(ann), `accounts/${ben.id}`, same)).status).toBe(200)
    expect((await at(tower, token, 'people')).status).toBe(200)
  })

  it('with the ETag of an earlier version of the account is refused', async () => {
    const [token, ben] = [await tokenOf(await newPerson(tower, 'admin')), await newPerson(tower, 'user')]
    const path = `/api/v1/accounts/${ben.id}`
    const call = (etag: string, method: string, body?: object) =>
      test.call({
        host: tower.host,
        key: token,
        path,
        method,
        headers: { 'if-match': etag },
        ...(body ? { body } : {}),
      })
    const etag = String((await test.call({ host: tower.host, key: token, path })).headers.etag)
    expect((await call(etag, 'PATCH', { roles: ['manager'] })).status).toBe(200)
    for (const answer of [await call(etag, 'PATCH', { roles: ['user'] }), await call(etag, 'DELETE')]) {
      expect(answer.json).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' })
    }
    expect(await rolesOf(tower, ben.id)).toEqual(['manager'])
  })

  it('is recorded with its actor, and is not done if it cannot be recorded', async () => {
    const sandbox = tower
    const ann = await newPerson(sandbox, 'admin')
    const token = await tokenOf(ann)
    const { json: eve } = await at(sandbox, token, 'accounts', { body: { email: 'eve@example.com', roles: ['user'] } })
    const one = `accounts/${eve.id}`
    await at(sandbox, token, one, { method: 'PATCH', body: { roles: ['manager'] } })
    await at(sandbox, await sandboxToken(sandbox), `${one}/reset-password`, { method: 'POST' })
    await test.call({ key: sandbox.key, path: `/api/v1/sandboxes/${sandbox.id}/${one}`, method: 'DELETE' })
    const { json } = await at(sandbox, token, 'accounts/audit?limit=3')
    const about = { accountId: eve.id, email: 'eve@example.com', sourceIp: '127.0.0.1' }
    expect(json.data).toMatchObject([
      { ...about, action: 'account.removed', actor: expect.stringMatching(/^key_/), rolesBefore: ['manager'] },
      { ...about, action: 'account.password_reset', actor: 'sandbox' },
      { ...about, action: 'account.roles_changed', actor: ann.email, rolesBefore: ['user'], rolesAfter: ['manager'] },
    ])
    const last = await at(sandbox, token, `accounts/audit?limit=1&before=${json.nextBefore}`)
    expect(last.json.data).toMatchObject([
      { ...about, action: 'account.created', actor: ann.email, rolesBefore: null, rolesAfter: ['user'] },
    ])
    expect((await at(mall, await tokenOf(await newPerson(mall, 'admin')), 'accounts/audit')).json.data).toEqual([])

    const ben = await newPerson(sandbox, 'user')
    await test.control.run(sql`alter table account_audit rename to mislaid`)
    for (const [path, options] of changesOf(ben.id)) {
      expect((await at(sandbox, token, path, options)).status, path).toBe(500)
    }
    await test.control.run(sql`alter table mislaid rename to account_audit`)
    const left = await identity.accounts.list(sandbox.tenantId)
    expect(left.map(({ email }) => email)).toEqual([ann.email, ben.email])
    await expect(test.control.run(sql`delete from account_audit`)).rejects.toThrow('append-only')
  })

  it('that needs a new password is accepted at most thirty times a minute', async () => {
    const sandbox = tower
    const token = await tokenOf(await newPerson(sandbox, 'admin'))
    const invite = (i: number) =>
      at(sandbox, token, 'accounts', { body: { email: `p${i}@example.com`, roles: ['user'] } })
    const answers = await Promise.all(Array.from({ length: 32 }, (_, i) => invite(i)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.map(({ json }) => json.code)).toEqual(['RATE_LIMITED', 'RATE_LIMITED'])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(30)
  })
})

it('[PPL-05] every route of people and accounts answers 409 to permitted callers if Storey does not manage the identity provider', async () => {
  await test.stop()
  await test.start({ directory: undefined as never })
  const ann = { id: 'ann', email: 'ann@example.com', sandbox: tower }
  const token = await tokenOf(ann, { realm_access: { roles: ['admin'] } })
  for (const path of ['people', ...READS]) {
    expect((await at(tower, token, path)).json, path).toMatchObject({ status: 409, field: 'sandboxesIssuer' })
  }
  for (const [path, options] of changesOf('ann')) {
    expect((await at(tower, token, path, options)).json, path).toMatchObject({ status: 409, field: 'sandboxesIssuer' })
  }
  const user = await tokenOf(ann, { realm_access: { roles: ['user'] } })
  expect((await at(tower, user, 'accounts')).status).toBe(403)
})
