import { type Database, type Migration, openDatabase, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Migrated, migrateAll, migrationsDue, openServers } from '../operator.ts'
import { testControlPlane } from '../testing/control-plane.ts'

const step = (version: number, name: string, text: string): Migration => ({ version, name, text, checksum: text })
const rooms = step(1, 'rooms', 'create table rooms (id int primary key)')
const halls = step(2, 'halls', 'create table halls (id int)')
// The table `rooms` is empty in the template, so these migrations take time, or fail, only in a tenant's database.
const slow = step(2, 'slow', 'create table halls (id int); select pg_sleep(3.5) from rooms')
const endless = step(2, 'slow', 'create table halls (id int); select pg_sleep(3600) from rooms')
const broken = step(2, 'slow', 'create table halls (id int); select 1 / (1 - count(*)) from rooms')

describe('the schema of a tenant', () => {
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let key: string
  let sandboxId: string
  let host: string
  beforeEach(async () => {
    // A stack that does not listen within three seconds is killed.
    test = await testControlPlane({}, silentLog, { tenantMigrations: [rooms], startLimitMs: 3_000 })
    key = await test.newKey()
    const created = await test.create(key)
    sandboxId = created.sandboxId
    host = `${created.slug}.localhost`
    await test.waitWhileProvisioning(key, sandboxId)
    await inTenant((tenant) => tenant.run(sql`insert into rooms values (1)`))
    await test.stop()
  })
  afterEach(() => test.drop())

  const record = async () => (await test.call({ key, path: `/api/v1/sandboxes/${sandboxId}` })).json
  const ask = () => test.call({ host, path: '/' })
  async function inTenant<T>(work: (tenant: Database) => Promise<T>): Promise<T> {
    const url = (await test.servers()).of('control').url(sandboxId)
    const database = openDatabase({ url, log: silentLog, applicationName: 'test', maxConnections: 1 })
    return await work(database).finally(() => database.close())
  }
  const tables = () =>
    inTenant(async (tenant) => {
      const rows = await tenant.rows<{ name: string }>(
        sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`,
      )
      return rows.map(({ name }) => name)
    })
  const rowOf = async () =>
    (await test.control.row<{ attempts: number; reason: string | null; waits: boolean }>(sql`
      select migration_attempts as attempts, migration_failure as reason, migration_next_at > now() as waits
      from sandboxes where id = ${sandboxId}`))!

  it('[STK-14] is migrated without a time limit, with progress on the record, and clients get 503', async () => {
    await test.start({ tenantMigrations: [rooms, slow] })
    await expect.poll(async () => (await record()).progress.step).toBe('Migrating the database, step 2 of 2')
    expect(await record()).toMatchObject({ status: 'ready', migration: { from: 1, to: 2 }, progress: { percent: 50 } })
    const refused = await ask()
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, json: { code: 'NOT_READY' } })
    expect(refused.json.detail).toContain('being migrated')
    expect((await test.call({ host, path: '/healthz' })).status).toBe(200)
    expect((await test.call({ path: '/readyz' })).json).toEqual({ status: 'ready', migrations: { due: 1, failed: 0 } })
    expect((await test.plane().counts()).migrations).toEqual({ due: 1, failed: 0 })
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
    expect(await record()).toMatchObject({ status: 'ready', progress: { percent: 100, step: 'Ready' } })
    expect(await record()).not.toHaveProperty('migration')
    expect(await tables()).toEqual(['halls', 'rooms', 'schema_migrations'])
  })

  it('[STK-15] has its migration retried after a pause if it failed, with the reason on record', async () => {
    await test.start({ tenantMigrations: [rooms, broken] })
    await expect
      .poll(async () => (await record()).migration?.failureReason)
      .toBe('migration 2-slow failed: division by zero')
    expect(await rowOf()).toMatchObject({ attempts: 1, waits: true })
    expect((await ask()).json.detail).toBe("The migration of the sandbox's database failed and will be retried")
    // The reconciler runs several times during this pause, and does not retry the migration.
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect((await rowOf()).attempts).toBe(1)
    await test.control.run(sql`update sandboxes set migration_next_at = now() where id = ${sandboxId}`)
    await expect.poll(async () => (await rowOf()).attempts).toBe(2)
    expect(await tables()).toEqual(['rooms', 'schema_migrations'])
    // A version of the service with a fixed migration retries immediately.
    await test.stop()
    await test.start({ tenantMigrations: [rooms, halls, step(3, 'more', 'create table more (id int)')] })
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
  })

  it('[STK-14] has its migration started again after a restart, and aborted when the sandbox is deleted', async () => {
    await test.start({ tenantMigrations: [rooms, endless] })
    await expect.poll(async () => (await record()).progress.percent).toBe(50)
    await test.stop()
    expect(await tables()).toEqual(['rooms', 'schema_migrations'])
    await test.start({ tenantMigrations: [rooms, endless] })
    await expect.poll(async () => (await record()).progress.percent).toBe(50)
    expect((await test.call({ key, path: `/api/v1/sandboxes/${sandboxId}`, method: 'DELETE' })).status).toBe(204)
  })

  it('[HST-34] can be checked and migrated by the operator before the service starts', async () => {
    const deps = { control: test.control, servers: await test.servers(), migrations: [rooms, halls], log: silentLog }
    expect(await migrationsDue(deps)).toEqual([{ id: sandboxId, slug: expect.any(String), from: 1, to: 2 }])
    const done: Migrated[] = []
    await migrateAll(deps, (one) => done.push(one))
    expect(done).toEqual([{ id: sandboxId, slug: expect.any(String), from: 1, to: 2, outcome: 'migrated' }])
    expect(await migrationsDue(deps)).toEqual([])
    await test.start({ tenantMigrations: [rooms, halls] })
    await expect.poll(async () => (await ask()).status).toBe(200)
  })

  it('[HST-34] can be migrated by the operator even if the database of another sandbox is missing', async () => {
    await test.start({})
    const { sandboxId: gone } = await test.create(key)
    await test.waitWhileProvisioning(key, gone)
    await test.stop()
    await (await test.servers()).of('control').drop(gone)
    const deps = { control: test.control, servers: await test.servers(), migrations: [rooms, halls], log: silentLog }
    const problem = expect.stringContaining('does not exist')
    expect(await migrationsDue(deps)).toEqual(
      expect.arrayContaining([
        { id: gone, slug: expect.any(String), from: null, to: 2, problem },
        { id: sandboxId, slug: expect.any(String), from: 1, to: 2 },
      ]),
    )
    const done: Migrated[] = []
    expect(await migrateAll(deps, (one) => done.push(one))).toBe(1)
    expect(done).toContainEqual(expect.objectContaining({ id: sandboxId, from: 1, outcome: 'migrated' }))
    expect(done).toContainEqual(expect.objectContaining({ id: gone, from: null, outcome: problem }))
    expect(await migrationsDue(deps, { isReadOnly: true })).toEqual([expect.objectContaining({ id: gone, problem })])
  })

  it('[HST-34] is not changed by a read-only check, even with a wrong master secret', async () => {
    const { control, config } = test
    const options = { control, serverUrl: config.serverUrl, migrations: [rooms, halls], log: silentLog }
    const servers = await openServers({ ...options, masterSecret: 'x'.repeat(40), isReadOnly: true })
    const problem = expect.stringContaining('password authentication failed')
    expect(await migrationsDue({ ...options, servers }, { isReadOnly: true })).toEqual([
      { id: sandboxId, slug: expect.any(String), from: null, to: 2, problem },
    ])
    expect(await tables()).toEqual(['rooms', 'schema_migrations'])
    const own = { ...options, servers: await test.servers() }
    expect(await migrationsDue(own, { isReadOnly: true })).toEqual([
      { id: sandboxId, slug: expect.any(String), from: 1, to: 2 },
    ])
  })

  it('[STK-22] is reported on the record when it is newer than the program, and the stack is not started', async () => {
    const halls = step(2, 'halls', 'create table halls (id int)')
    await test.start({ tenantMigrations: [rooms, halls] })
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
    await test.stop()
    const deps = { control: test.control, servers: await test.servers(), migrations: [rooms], log: silentLog }
    const newer = { id: sandboxId, slug: expect.any(String), from: 2, to: 1, problem: expect.stringContaining('newer') }
    expect(await migrationsDue(deps)).toEqual([newer])
    const done: Migrated[] = []
    expect(await migrateAll(deps, (one) => done.push(one))).toBe(1)
    expect(done).toEqual([expect.objectContaining({ outcome: expect.stringContaining('newer than this program') })])

    // This is the state after a restore of an older control database, which does not know the newer schema.
    await test.control.run(
      sql`update sandboxes set schema_version = 1, migration_target = null where id = ${sandboxId}`,
    )
    test.reportSchema(sandboxId, 'ahead')
    await test.start({ tenantMigrations: [rooms] })
    expect((await ask()).json.detail).toContain('newer than this version of the service')
    await expect.poll(async () => (await record()).migration?.failureReason).toContain('update the service')
    expect((await record()).migration).toMatchObject({ from: 2, to: 1 })
    expect(await ask()).toMatchObject({ status: 503, headers: { 'retry-after': '60' } })
    expect((await ask()).json.detail).toContain('newer than this version of the service')
    expect((await rowOf()).attempts).toBe(1)
    expect((await test.call({ path: '/readyz' })).json.migrations).toEqual({ due: 1, failed: 1 })
    await test.stop()
    test.reportSchema(sandboxId, undefined)
    await test.start({ tenantMigrations: [rooms, halls] })
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
  })

  it('[STK-14] is migrated when its stack finds it outdated, even if the sandbox row has the newest version', async () => {
    await test.start({ tenantMigrations: [rooms, halls] })
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
    await test.stop()
    await test.control.run(sql`update sandboxes set schema_version = 3 where id = ${sandboxId}`)
    test.reportSchema(sandboxId, 'behind')
    await recordVersions()
    await test.start({
      tenantMigrations: [rooms, halls, step(3, 'more', 'create table more (id int)')],
    })
    expect((await ask()).json.detail).toContain('being migrated')
    test.reportSchema(sandboxId, undefined)
    await expect.poll(async () => (await ask()).status, { timeout: 20_000 }).toBe(200)
    expect(await tables()).toContain('more')
    const versions = await test.control.rows<{ version: number | null }>(sql`select version from seen_versions`)
    expect(versions.length).toBeGreaterThan(0)
    expect(versions).not.toContainEqual({ version: null })
  })

  /**
   * Stores the schema version of a row at each update while the migration of the row is due. A test that only reads the
   * API could overlook a version that is missing for a moment.
   */
  async function recordVersions(): Promise<void> {
    await test.control.run(sql`create table seen_versions (version integer)`)
    await test.control.run(sql`create function note_version() returns trigger language plpgsql as
      $$ begin insert into seen_versions values (new.schema_version); return null; end $$`)
    await test.control.run(sql`create trigger note_version after update on sandboxes for each row
      when (new.migration_target is not null) execute function note_version()`)
  }
})
