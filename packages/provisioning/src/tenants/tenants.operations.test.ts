import { databaseExists, identifier, openDatabase, readMigrations, sql, withDatabaseName } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { type TestDatabase, testDatabase, testServerUrl } from '@storey/kit/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTROL_MIGRATIONS } from '../migrations.ts'
import { UNKNOWN_OWNER } from './other-owner.ts'
import * as store from './tenants.store.ts'
import { createTenants, type Tenants } from './tenants.ts'

const at = new Date('2026-06-01T00:00:00.123Z')
const migrations = [{ version: 1, name: 'rooms', text: 'create table rooms (id int primary key)', checksum: 'rooms' }]

async function tryTo<T>(url: string, statement: string): Promise<T | string> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    return (await client.query(statement)).rows as T
  } catch (err) {
    return (err as Error).message
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The tests run as superuser, and as a role with CREATEDB and CREATEROLE, which is what managed servers offer. */
describe.each(['superuser', 'administrator'])('tenants, created by the %s', (who) => {
  let test: TestDatabase
  let tenants: Tenants
  let serverUrl: string
  const tag = who === 'superuser' ? 'supusr' : 'admini'
  const admin = `admin_${process.pid}`
  const first = 'sbx_first'
  const second = 'sbx_second'

  beforeAll(async () => {
    test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
    serverUrl = test.url
    if (who === 'administrator') {
      await test.database.run(sql`create role ${identifier(admin)} login createdb createrole password 'secret'`)
      const name = new URL(test.url).pathname.slice(1)
      await test.database.run(sql`alter database ${identifier(name)} owner to ${identifier(admin)}`)
      const url = new URL(test.url)
      url.username = admin
      url.password = 'secret'
      serverUrl = url.href
    }
    await test.database.run(sql`revoke all on database ${identifier(new URL(test.url).pathname.slice(1))} from public`)
    const control = openDatabase({ url: serverUrl, log: silentLog, applicationName: 'test' })
    tenants = createTenants({
      admin: control,
      serverUrl,
      masterSecret: 'x'.repeat(32),
      installationTag: tag,
      migrations,
      log: silentLog,
    })
    await tenants.create(first, at)
    await tenants.create(second, at)
  })
  afterAll(async () => {
    await tenants.drop(first)
    await tenants.drop(second)
    await test.drop()
  })

  it('[HST-44] have a template even if a pooler keeps a connection to the draft of the template', async () => {
    const [draft, name] = [`storey_${tag}_kept`, `storey_${tag}_kept_template`]
    const control = openDatabase({ url: serverUrl, log: silentLog, applicationName: 'test' })
    await store.createEmptyDatabase(control, draft)
    const kept = new pg.Client({ connectionString: withDatabaseName(serverUrl, draft) })
    kept.on('error', () => undefined)
    await kept.connect()
    await store.markAsTemplate(control, draft, name)
    expect(await store.listDatabases(control, draft)).toEqual([name])
    await store.unmarkTemplate(control, name)
    await store.dropDatabase(control, name)
    await control.close()
  })

  it('[HST-71] have a template even if dropping a template was interrupted', async () => {
    const control = openDatabase({ url: serverUrl, log: silentLog, applicationName: 'test' })
    const [current] = await store.listDatabases(control, `storey_${tag}_template_`)
    const old = `storey_${tag}_template_old`
    await store.createEmptyDatabase(control, old)
    await store.unmarkTemplate(control, current!)
    // When PostgreSQL drops a database, it sets this mark before it deletes the files.
    await test.database.run(sql`update pg_database set datconnlimit = -2 where datname in (${old}, ${current!})`)
    await tenants.create('sbx_third', at)
    expect(await store.listDatabases(control, `storey_${tag}_template_`)).toEqual([current])
    expect(await tryTo(tenants.url('sbx_third'), 'select id from rooms')).toEqual([])
    await tenants.drop('sbx_third')
    await control.close()
  })

  it('[STK-01] each have a database with the newest schema, and a role that owns this database', async () => {
    for (const id of [first, second]) {
      expect(await tryTo(tenants.url(id), 'insert into rooms values (1) returning id')).toEqual([{ id: 1 }])
      expect(await tryTo(tenants.url(id), 'alter table rooms add column name text')).toEqual([])
      expect(await tryTo(tenants.url(id), 'create table mine (id int)')).toEqual([])
    }
  })

  it('[STK-02] have roles that can open only their own databases', async () => {
    const control = new URL(test.url).pathname.slice(1)
    const template = await test.database.rows<{ datname: string }>(
      sql`select datname from pg_database where starts_with(datname, ${`storey_${tag}_template_`})`,
    )
    expect(template).toHaveLength(1)
    for (const name of [`storey_${tag}_${second}`, control, template[0]!.datname]) {
      const result = await tryTo(withDatabaseName(tenants.url(first), name), 'select 1')
      expect(result).toMatch(/permission denied for database|not currently accepting connections/)
    }
  })

  it('[STK-02] have roles without any privilege outside their database', async () => {
    const url = tenants.url(first)
    expect(await tryTo(url, 'create role sneaky')).toMatch(/permission denied/)
    expect(await tryTo(url, 'create database sneaky')).toMatch(/permission denied/)
    expect(await tryTo(url, `set role storey_${tag}_${second}`)).toMatch(/permission denied/)
    expect(await tryTo(url, 'select * from pg_authid')).toMatch(/permission denied/)
    expect(await tryTo(url, "select pg_read_file('/etc/passwd')")).toMatch(/permission denied/)
    expect(await tryTo(url, "copy (select 1) to program 'true'")).toMatch(/permission denied/)
  })

  it('can log in after several processes have reset the password of their role at the same time', async () => {
    for (let i = 0; i < 20; i++) await Promise.all([1, 2, 3].map(() => tenants.ensureRole(first)))
    expect(await tryTo(tenants.url(first), 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('can log in again after a reset of the password that their role had changed', async () => {
    expect(await tryTo(tenants.url(first), `alter role current_user password 'other'`)).toEqual([])
    expect(await tryTo(tenants.url(first), 'select 1 as one')).toMatch(/password authentication failed/)
    await tenants.ensureRole(first)
    expect(await tryTo(tenants.url(first), 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('[STK-40] have databases in which nothing runs with the rights of the administrator', async () => {
    const id = 'sbx_third'
    const name = `storey_${tag}_${id}`
    await tenants.create(id, at)
    // The role puts a function of its own where the service reads, and hides that the service created the database.
    const statements = [
      'create table callers (name text)',
      'grant all on callers to public',
      `create function note() returns text language sql as 'insert into callers values (current_user) returning name'`,
      'create view organizations as select note() as id',
      'grant select on organizations to public',
      `comment on database ${name} is null`,
      `alter role current_user password 'other'`,
    ]
    for (const statement of statements) expect(await tryTo(tenants.url(id), statement), statement).toEqual([])
    expect(await tenants.otherOwnerOf(id)).toBe(UNKNOWN_OWNER)
    await tenants.ensureRole(id)
    await tenants.otherOwnerOf(id)
    await tenants.drop(id)
    const [aside] = await tenants.listSetAside()
    expect(aside).toContain(`${name}_set_aside_`)
    const callers = await tryTo(withDatabaseName(test.url, aside!), 'select distinct name from callers')
    expect(callers).toEqual([{ name }])
    await test.database.run(sql`drop database ${identifier(aside!)}`)
    await tenants.drop(id)
  })

  it('[STK-40] cannot make the service end a session of another role', async () => {
    const open = async (url: string) => {
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => undefined)
      await client.connect()
      return { client, pid: (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number }
    }
    const [admin, other, own] = [await open(test.url), await open(tenants.url(second)), await open(tenants.url(first))]
    for (const { pid } of [admin, other, own]) await tenants.endSession(first, pid)
    for (const { client } of [admin, other]) expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await expect(own.client.query('select 1')).rejects.toThrow()
    for (const { client } of [admin, other, own]) await client.end().catch(() => undefined)
  })

  it('[SBX-70] count as being restored while a restore tool of a superuser is connected', async () => {
    expect(await tenants.isBeingRestored(first)).toBe(false)
    const connectionString = withDatabaseName(test.url, `storey_${tag}_${first}`)
    const tool = new pg.Client({ connectionString, application_name: 'pg_restore' })
    await tool.connect()
    expect(await tenants.isBeingRestored(first)).toBe(true)
    await tool.end()
    await expect.poll(() => tenants.isBeingRestored(first)).toBe(false)
  })

  it('[SBX-77] have a database that other roles cannot open once it is complete, even if an operator created it for a restore', async () => {
    const name = identifier(`storey_${tag}_${first}`)
    await test.database.run(sql`drop database ${name}`)
    await test.database.run(sql`create database ${name} owner ${name}`)
    const other = new URL(tenants.url(second))
    other.pathname = new URL(tenants.url(first)).pathname
    expect(await tryTo(other.href, 'select 1 as one')).toEqual([{ one: 1 }])
    await tenants.recordSeeded(
      { id: first, requestedAt: at },
      { siteId: 's', buildingId: 'b', fingerprint: 'sha256:f' },
    )
    expect(await tryTo(other.href, 'select 1 as one')).toMatch(/permission denied/)
    expect(await tryTo(tenants.url(first), 'select 1 as one')).toEqual([{ one: 1 }])
    await tenants.create(first, at)
  })

  it('[SBX-74] are created again and dropped although their role owns a database that an operator renamed', async () => {
    const [name, backup] = [`storey_${tag}_${second}`, `backup_${tag}_${second}`]
    await test.database.run(sql`alter database ${identifier(name)} rename to ${identifier(backup)}`)
    await tenants.create(second, at)
    expect(await tryTo(tenants.url(second), 'select 1 as one')).toEqual([{ one: 1 }])
    await tenants.drop(second)
    await tenants.drop(second)
    expect((await tenants.present()).databases.has(second)).toBe(false)
    expect(await databaseExists(test.database, backup)).toBe(true)
    await test.database.run(sql`drop database ${identifier(backup)}`)
    await tenants.create(second, at)
  })

  it('are listed, created again, and dropped with their role while in use', async () => {
    const mark = { requestedAt: at }
    expect(await tenants.present()).toEqual({
      databases: new Map([
        [first, mark],
        [second, mark],
      ]),
      roles: [first, second],
    })
    // An operator's own copy has a name that no sandbox has.
    const copy = identifier(`storey_${tag}_${first}_old`)
    await test.database.run(sql`create database ${copy}`)
    expect([...(await tenants.present()).databases.keys()]).toEqual([first, second])
    await test.database.run(sql`drop database ${copy}`)
    await tenants.create(first, at)
    expect(await tryTo(tenants.url(first), 'select count(*)::int from rooms')).toEqual([{ count: 0 }])
    const user = new pg.Client({ connectionString: tenants.url(second) })
    user.on('error', () => undefined)
    await user.connect()
    await tenants.drop(second)
    expect(await tenants.present()).toEqual({ databases: new Map([[first, mark]]), roles: [first] })
    await user.end().catch(() => undefined)
    expect(new URL(testServerUrl()).hostname).toBe('127.0.0.1')
  })

  it('have metadata in the comment of their database, and invalid metadata is ignored', async () => {
    const result = { siteId: 's', buildingId: 'b', fingerprint: 'sha256:f' }
    await tenants.recordSeeded({ id: first, requestedAt: at }, result)
    expect(await tenants.metadataOf(first)).toEqual({ requestedAt: at, result })
    for (const text of ['no JSON', 'null', '{"requestedAt":5e99}', '{"requestedAt":"soon","result":{}}']) {
      await tryTo(tenants.url(first), `comment on database storey_${tag}_${first} is '${text}'`)
      expect(await tenants.metadataOf(first)).toEqual({ isUnverified: true })
    }
    expect(await tenants.metadataOf('sbx_nobody')).toBeUndefined()
  })

  it('[SBX-70] count as unverified on a new server, where a restored database may have the same object id', async () => {
    const result = { siteId: 's', buildingId: 'b', fingerprint: 'sha256:f' }
    const name = `storey_${tag}_${first}`
    await tenants.recordSeeded({ id: first, requestedAt: at }, result)
    const row = await test.database.row<{ comment: string }>(
      sql`select shobj_description(oid, 'pg_database') as comment from pg_database where datname = ${name}`,
    )
    const comment = JSON.stringify({ ...JSON.parse(row!.comment), cluster: '1' })
    await tryTo(tenants.url(first), `comment on database ${name} is '${comment}'`)
    expect(await tenants.metadataOf(first)).toEqual({ requestedAt: at, result, isUnverified: true })
  })
})
