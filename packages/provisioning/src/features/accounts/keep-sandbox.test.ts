import { createIdentity, IDENTITY_MIGRATIONS, IDENTITY_MIGRATIONS_TABLE, type Identity } from '@storey/identity'
import { migrate, readMigrations, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../../testing/control-plane.ts'
import type { Directory } from './directory.ts'
import { keepSandbox } from './keep-sandbox.ts'

describe('a sandbox that is being removed', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let identity: Identity
  beforeAll(async () => {
    const directory = { openTenant: async () => undefined, removeTenant: async () => undefined } as unknown as Directory
    test = await testControlPlane({ tickMs: 3_600_000 }, silentLog, { directory })
    await test.control.session((session) =>
      migrate(session, readMigrations(IDENTITY_MIGRATIONS), { migrationsTable: IDENTITY_MIGRATIONS_TABLE }),
    )
    identity = await createIdentity({
      ...{ database: test.control, publicUrl: 'http://localhost:4000', masterSecret: 'secret', passwordWork: 2 },
      ...{ clock: test.clock, log: silentLog, shellOriginOf: () => 'http://x.localhost' },
    })
    Object.assign(directory, {
      accounts: { create: (tenantId, account, record) => identity.accounts.create({ tenantId, ...account }, record) },
      serviceAccounts: {
        create: (tenantId, account, _record, check) => identity.serviceAccounts.create({ tenantId, ...account }, check),
      },
    } as Partial<Directory>)
    await test.restart()
  })
  afterAll(async () => {
    await identity?.close()
    await test?.drop()
  })

  const isWaiting = async (count: number) => {
    const row = await test.control.row<{ count: number }>(sql`select count(*) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
    return row!.count >= count
  }

  it('gets no accounts, service accounts or console links any more', async () => {
    const key = await test.newKey()
    const { sandboxId, organizationId: tenantId, slug: clientId } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    const post = async (path: string, body: object) =>
      (await test.call({ key, path: `/api/v1/sandboxes/${sandboxId}/${path}`, body })).status
    const check = (tx: Parameters<typeof keepSandbox>[0]) => keepSandbox(tx, sandboxId)
    const owner = { developerId: 'dev_1', tenantId, clientId, check }
    expect(await post('accounts', { email: 'first@example.com', roles: ['user'] })).toBe(201)
    expect(await post('service-accounts', { name: 'first', roles: ['user'] })).toBe(201)
    await identity.ownerSession(owner)

    // These requests pass the first check, since the removal is not committed yet.
    const created = await test.control.transaction(async (tx) => {
      await tx.run(sql`update sandboxes set removing_at = now() where id = ${sandboxId}`)
      const started = [
        post('accounts', { email: 'second@example.com', roles: ['user'] }),
        post('service-accounts', { name: 'second', roles: ['user'] }),
        identity.ownerSession(owner).catch(({ status }) => status),
      ]
      await expect.poll(() => isWaiting(3)).toBe(true)
      return { answers: Promise.all(started) }
    })
    expect(await created.answers).toEqual([404, 404, 404])
    expect((await identity.accounts.list(tenantId)).map(({ email }) => email)).not.toContain('second@example.com')
    expect((await identity.serviceAccounts.list(tenantId)).map(({ name }) => name)).toEqual(['first'])
  })
})
