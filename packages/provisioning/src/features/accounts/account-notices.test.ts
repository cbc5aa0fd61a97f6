import { problems, type Role, type StackCommand } from '@storey/contract'
import { createIdentity, IDENTITY_MIGRATIONS, IDENTITY_MIGRATIONS_TABLE, type Identity } from '@storey/identity'
import { migrate, readMigrations } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../../testing/control-plane.ts'
import { createAccountNotices } from './account-notices.ts'
import type { Directory } from './directory.ts'
import { listRevoked } from './revoked-subjects.store.ts'

const ISSUER = 'http://localhost:4000/realms/sandboxes'

describe('[PPL-07] a change of an account', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let identity: Identity
  let key: string
  let host: string
  let sandboxId: string
  let tenantId: string
  let token: string
  beforeAll(async () => {
    const directory = { openTenant: async () => undefined, removeTenant: async () => undefined } as unknown as Directory
    const backoff = { firstMs: 60_000, maxMs: 60_000, resetAfterMs: 60_000, databaseMs: 60_000 }
    test = await testControlPlane({ stackBackoff: backoff }, silentLog, { directory })
    await test.control.session((session) =>
      migrate(session, readMigrations(IDENTITY_MIGRATIONS), { migrationsTable: IDENTITY_MIGRATIONS_TABLE }),
    )
    identity = await createIdentity({
      ...{ database: test.control, publicUrl: 'http://localhost:4000', masterSecret: 'secret', passwordWork: 2 },
      ...{ clock: test.clock, log: silentLog, shellOriginOf: () => 'http://x.localhost' },
    })
    const { accounts, serviceAccounts, people } = identity
    Object.assign(directory, {
      people,
      accounts: { create: (tenantId, account, record) => accounts.create({ tenantId, ...account }, record) },
      serviceAccounts: {
        find: async (tenantId, id) => (await serviceAccounts.list(tenantId)).find((one) => one.id === id),
        remove: (tenantId, id) => serviceAccounts.remove(tenantId, id),
      },
    } as Partial<Directory>)
    test.config.stack.sandboxesIssuer = ISSUER
    await test.restart()
    key = await test.newKey()
    const made = await test.create(key)
    ;[sandboxId, tenantId, host] = [made.sandboxId, made.organizationId, `${made.slug}.localhost`]
    await test.waitWhileProvisioning(key, sandboxId)
    token = (await test.call({ key, path: `/api/v1/sandboxes/${sandboxId}/connection` })).json.token
  })
  afterAll(async () => {
    await identity.close()
    await test.drop()
  })

  const newPerson = async (name: string, role: Role = 'user') =>
    (await identity.accounts.create({ tenantId, email: `${name}@example.com`, roles: [role] })).id
  const revoked = async () => (await listRevoked(test.control, sandboxId, test.clock.now())).map((one) => one.subject)

  it('gets its response, with the one-time password, while the stack cannot be started; the next start of the stack gets the revocations', async () => {
    const [ann, ben, carl] = [await newPerson('ann'), await newPerson('ben'), await newPerson('carl')]
    const program = await identity.serviceAccounts.create({ tenantId, name: 'program', roles: ['user'] })
    // The crashed stack is started again after a minute.
    await test.call({ host, path: '/crash', method: 'POST' })
    await expect.poll(() => test.runtime.status(sandboxId)).toBe('stopped')

    const body = (email: string) => ({ email, roles: ['user'] })
    const created = await Promise.all([
      test.call({ host, key: token, path: '/api/v1/accounts', body: body('eve@example.com') }),
      test.call({ key, path: `/api/v1/sandboxes/${sandboxId}/accounts`, body: body('fay@example.com') }),
    ])
    expect(created.map(({ status }) => status)).toEqual([201, 201])
    for (const { json } of created) expect(json.oneTimePassword).toBeDefined()

    const person = (id: string) => ({ host, key: token, path: `/api/v1/accounts/${id}` })
    const programPath = `/api/v1/sandboxes/${sandboxId}/service-accounts/${program.id}`
    const changed = await Promise.all([
      test.call({ ...person(ann), path: `/api/v1/accounts/${ann}/reset-password`, method: 'POST' }),
      test.call({ ...person(ben), method: 'PATCH', body: { roles: ['manager'] } }),
      test.call({ ...person(carl), method: 'DELETE' }),
      test.call({ key, path: programPath, method: 'DELETE' }),
    ])
    expect(changed.map(({ status }) => status)).toEqual([200, 200, 204, 204])
    expect(changed[0]!.json.oneTimePassword).toBeDefined()
    expect((await revoked()).sort()).toEqual([ann, ben, carl, program.id].sort())

    await test.restart()
    const { text } = await test.call({ host, path: '/environment' })
    const started: { subject: string }[] = JSON.parse(JSON.parse(text).STACK_CONFIG).revoked
    expect(started.map(({ subject }) => subject).sort()).toEqual([ann, ben, carl, program.id].sort())
  })

  it('is reported again to a stack that could not be reached, with the time of the change', async () => {
    const sent: StackCommand[] = []
    let failures = 1
    const stacks = {
      async send(_sandboxId: string, command: StackCommand) {
        if (failures-- > 0) throw problems.notReady('The service is busy', 2)
        sent.push(command)
      },
    }
    const { control, clock } = test
    const notices = createAccountNotices({ control, clock, stacks, issuer: ISSUER, log: silentLog })
    const at = clock.now().toISOString()
    const changed = notices.changed(sandboxId, 'gus')
    clock.advance(10_000)
    await changed
    await expect
      .poll(() => sent, { timeout: 10_000 })
      .toEqual([{ type: 'revoked', issuer: ISSUER, subject: 'gus', at }, { type: 'people' }])
    expect(await revoked()).toContain('gus')

    failures = Number.POSITIVE_INFINITY
    await notices.changed(sandboxId, 'hal')
    expect(await revoked()).toContain('hal')
    notices.close()
  })
})
