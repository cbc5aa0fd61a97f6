import { type Database, identifier, literal, openDatabase, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clearSuspended, setSuspended } from '../features/sandboxes/suspension.store.ts'
import { dropLeftover, listForeign, listLeftovers, listMissing, listSetAside, migrationsDue } from '../operator.ts'
import { testControlPlane } from '../testing/control-plane.ts'
import { takeInventory } from './inventory.ts'
import { checkDatabases, findLostDatabase } from './missing-database.ts'
import { createSweepFailures } from './sweep-failures.ts'

const SCHEMA = `create table organizations (id text primary key);
  create sequence room_numbers;
  create table counted (id int generated always as identity);
  create table rooms (id int primary key, name text, organization text references organizations);
  create index rooms_name on rooms (name);
  create function keep() returns trigger language plpgsql as 'begin return new; end';
  create trigger rooms_kept before delete on rooms for each row execute function keep()`
const tenantMigrations = [{ version: 1, name: 'rooms', text: SCHEMA, checksum: 'rooms' }]

/** This state arises if the control database is restored from a backup that is older than the removal of a sandbox. */
describe('a sandbox whose database is missing', () => {
  const logged: { msg: string; sandboxId: string }[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let tag: string
  beforeAll(async () => {
    test = await testControlPlane({ tickMs: 3_600_000 }, log, { tenantMigrations })
    tag = (await test.control.row<{ tag: string }>(sql`select tag from installation`))!.tag
  })
  afterAll(() => test.drop())

  const sweep = () => test.plane().reconciler.sweep()
  const linesOf = (id: string) => logged.filter(({ sandboxId }) => sandboxId === id).map(({ msg }) => msg)
  async function sandboxWithout(lost: { role: boolean }) {
    const key = await test.newKey()
    const { sandboxId, slug } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    const name = `storey_${tag}_${sandboxId}`
    await test.control.run(sql`alter database ${identifier(name)} rename to ${identifier(`kept_${sandboxId}`)}`)
    if (lost.role)
      await test.control.run(sql`alter role ${identifier(name)} rename to ${identifier(`kept_${sandboxId}`)}`)
    const path = `/api/v1/sandboxes/${sandboxId}`
    const record = async () => (await test.call({ key, path })).json
    const ask = () => test.call({ host: `${slug}.localhost`, path: '/' })
    const restoreDatabase = () =>
      test.control.run(sql`alter database ${identifier(`kept_${sandboxId}`)} rename to ${identifier(name)}`)
    return { key, path, sandboxId, slug, record, ask, restoreDatabase }
  }

  it('[SBX-59] fails at its first wake with a reason and advice, and is created again by a reset', async () => {
    const { key, path, sandboxId, slug, record, ask } = await sandboxWithout({ role: true })
    for (let i = 0; i < 3; i++) {
      const answer = await ask()
      expect(answer).toMatchObject({ status: 503, json: { code: 'NOT_READY' } })
      expect(answer.json.detail).toContain('reset or delete the sandbox')
    }
    expect(await record()).toMatchObject({ status: 'failed', failureReason: expect.stringContaining('database') })
    expect(linesOf(sandboxId)).toEqual(['sandbox database missing, reset or delete the sandbox'])
    expect(await listMissing(test.control)).toContainEqual({ id: sandboxId, slug })
    const migrateDeps = { control: test.control, servers: await test.servers(), migrations: [], log: silentLog }
    const problem = expect.stringContaining('database is missing')
    expect(await migrationsDue(migrateDeps)).toContainEqual({ id: sandboxId, slug, from: null, to: 0, problem })
    expect((await test.call({ key, path: `${path}/reset`, method: 'POST' })).status).toBe(202)
    await test.waitWhileProvisioning(key, sandboxId)
    expect((await ask()).status).toBe(200)
    expect(await listMissing(test.control)).toEqual([])
  })

  it('[SBX-59] fails at a sweep, keeps its files, and is ready when its database is restored', async () => {
    const { sandboxId, record, ask, restoreDatabase } = await sandboxWithout({ role: false })
    await sweep()
    await sweep()
    expect(await record()).toMatchObject({ status: 'failed' })
    expect(linesOf(sandboxId).filter((msg) => msg.includes('database missing'))).toHaveLength(1)
    expect((await listLeftovers(test.control, await test.servers(), test.folder)).map(({ id }) => id)).not.toContain(
      sandboxId,
    )
    await expect(dropLeftover(test.control, await test.servers(), test.folder, sandboxId)).rejects.toThrow(
      'No such leftover',
    )
    test.clock.advance(15 * 86_400_000)
    await sweep()
    expect(linesOf(sandboxId).filter((msg) => /quarantined|dropped/.test(msg))).toEqual([])
    await restoreDatabase()
    await sweep()
    expect(await record()).toMatchObject({ status: 'ready' })
    expect(await record()).not.toHaveProperty('failureReason')
    expect((await ask()).status).toBe(200)
  })

  it('[SBX-59] does not fail while a server that could have its database does not answer', async () => {
    const { sandboxId, record, restoreDatabase } = await sandboxWithout({ role: false })
    const servers = await test.servers()
    const down = { id: 'srv_down', address: 'localhost:1', isUp: false, takesNew: true }
    const deps = { control: test.control, log: silentLog, onChange: () => undefined }
    const partly = { ...servers, list: () => [...servers.list(), down] }
    expect(await findLostDatabase({ ...deps, servers: partly }, sandboxId)).toBe('uncertain')
    expect(await record()).toMatchObject({ status: 'ready' })
    const other = { ...servers, verify: async () => false }
    expect(await findLostDatabase({ ...deps, servers: other }, sandboxId)).toBe('uncertain')
    expect(await record()).toMatchObject({ status: 'ready' })
    expect(await findLostDatabase({ ...deps, servers }, sandboxId)).toBe('missing')
    await restoreDatabase()
    await servers.close()
  })

  it('[SBX-59, SBX-60] fails at a sweep even if the search for the database of another sandbox is denied', async () => {
    const both = [await sandboxWithout({ role: false }), await sandboxWithout({ role: false })]
    const [denied, lost] = both.toSorted((a, b) => (a.sandboxId < b.sandboxId ? -1 : 1)) as [
      (typeof both)[0],
      (typeof both)[0],
    ]
    const servers = await test.servers()
    const of = (serverId: string) => {
      const tenants = servers.of(serverId)
      const metadataOf = async (id: string) => {
        if (id === denied.sandboxId) throw Object.assign(new Error('permission denied'), { code: '42501' })
        return await tenants.metadataOf(id)
      }
      return { ...tenants, metadataOf }
    }
    const deps = { control: test.control, servers: { ...servers, of }, log, onChange: () => undefined }
    const failures = createSweepFailures(log)
    for (let i = 0; i < 2; i++)
      await failures.round(async (attempt) => {
        for await (const inventory of takeInventory({ ...deps, runtime: test.runtime }))
          await checkDatabases(deps, inventory, attempt)
      })
    expect(await denied.record()).toMatchObject({ status: 'ready' })
    expect(await lost.record()).toMatchObject({ status: 'failed' })
    expect(linesOf(denied.sandboxId)).toEqual(['sweep of a sandbox failed'])
    for (const { restoreDatabase } of both) await restoreDatabase()
    await sweep()
    for (const { record } of both) expect(await record()).toMatchObject({ status: 'ready' })
    await servers.close()
  })

  it('[SBX-59] fails as if its database were missing when a drop of the database was interrupted', async () => {
    const { key, path, sandboxId, record, ask, restoreDatabase } = await sandboxWithout({ role: false })
    await restoreDatabase()
    await test.control.run(
      sql`update pg_database set datconnlimit = -2 where datname = ${`storey_${tag}_${sandboxId}`}`,
    )
    for (let i = 0; i < 2; i++) await sweep()
    expect(await record()).toMatchObject({ status: 'failed', failureReason: expect.stringContaining('database') })
    expect((await ask()).json.detail).toContain('reset or delete the sandbox')
    expect((await test.call({ key, path: `${path}/reset`, method: 'POST' })).status).toBe(202)
    await test.waitWhileProvisioning(key, sandboxId)
    expect((await ask()).status).toBe(200)
  })

  it('[SBX-59] gets a new role when its database is restored without the role', async () => {
    const { sandboxId, record, ask, restoreDatabase } = await sandboxWithout({ role: true })
    await sweep()
    expect(await record()).toMatchObject({ status: 'failed' })
    await restoreDatabase()
    await sweep()
    expect(await record()).toMatchObject({ status: 'ready' })
    expect((await ask()).status).toBe(200)
    const owner = await test.control.row<{ owner: string }>(sql`
      select pg_get_userbyid(datdba) as owner from pg_database where datname = ${`storey_${tag}_${sandboxId}`}`)
    expect(owner).toEqual({ owner: `storey_${tag}_${sandboxId}` })
    await test.control.run(sql`drop role ${identifier(`kept_${sandboxId}`)}`)
  })

  /** A sandbox whose database seems to be restored from a backup, because the database has no comment. */
  async function restored() {
    const key = await test.newKey()
    const { sandboxId, slug } = await test.create(key)
    await test.waitWhileProvisioning(key, sandboxId)
    const name = `storey_${tag}_${sandboxId}`
    await test.control.run(sql`comment on database ${identifier(name)} is null`)
    const url = new URL(test.config.serverUrl)
    url.pathname = `/${name}`
    const inDatabase = async (work: (database: Database) => Promise<unknown>) => {
      const database = openDatabase({ url: url.href, log: silentLog, applicationName: 'test', maxConnections: 1 })
      await work(database).finally(() => database.close())
    }
    const ask = () => test.call({ host: `${slug}.localhost`, path: '/' })
    const comment = async () => {
      const row = await test.control.row<{ comment: string | null }>(
        sql`select shobj_description(oid, 'pg_database') as comment from pg_database where datname = ${name}`,
      )
      return row!.comment
    }
    return { key, sandboxId, name, url, ask, comment, inDatabase }
  }

  it('[SBX-70, SBX-77] uses a database that was restored completely, closes it to other roles, and records that it was checked', async () => {
    const { sandboxId, name, ask, comment } = await restored()
    await test.control.run(sql`grant connect, temporary on database ${identifier(name)} to public`)
    expect((await ask()).status).toBe(200)
    const isOpen = sql`select has_database_privilege('pg_monitor', ${name}, 'connect, temporary') as "isOpen"`
    expect(await test.control.row(isOpen)).toEqual({ isOpen: false })
    expect(await comment()).toContain('fingerprint')
    expect(linesOf(sandboxId)).toEqual([])
  })

  it('[SBX-70] does not use a database without its constraints, which are restored last', async () => {
    const { sandboxId, ask, inDatabase } = await restored()
    await inDatabase((database) =>
      database.run(sql`alter table schema_migrations drop constraint schema_migrations_pkey`),
    )
    for (let i = 0; i < 2; i++)
      expect(await ask()).toMatchObject({ status: 503, json: { detail: expect.stringContaining('incomplete') } })
    expect(linesOf(sandboxId)).toEqual(['sandbox database not used'])
    await inDatabase((database) => database.run(sql`alter table schema_migrations add primary key (version)`))
    expect((await ask()).status).toBe(200)
  })

  it.each([
    ['an index', sql`drop index rooms_name`],
    ['a trigger', sql`drop trigger rooms_kept on rooms`],
    ['a foreign key', sql`alter table rooms drop constraint rooms_organization_fkey`],
    ['a sequence', sql`drop sequence room_numbers`],
    ['enabled foreign keys', sql`alter table rooms disable trigger all`],
  ])('[SBX-70] does not use a database without %s, which tools restore later than the rows', async (_what, drop) => {
    const { ask, inDatabase } = await restored()
    await inDatabase((database) => database.run(drop))
    expect(await ask()).toMatchObject({ status: 503, json: { detail: expect.stringContaining('incomplete') } })
  })

  it('[SBX-70] does not use a database whose sequences are not set yet, because tools set them after all rows', async () => {
    const { ask, inDatabase } = await restored()
    await inDatabase((database) => database.run(sql`insert into counted overriding system value values (5)`))
    expect(await ask()).toMatchObject({ status: 503, json: { detail: expect.stringContaining('incomplete') } })
    await inDatabase((database) => database.run(sql`select setval('counted_id_seq', 5)`))
    expect((await ask()).status).toBe(200)
  })

  it('[SBX-70] uses a restored database to which an index was added', async () => {
    const { ask, inDatabase } = await restored()
    await inDatabase((database) => database.run(sql`create index own on rooms (organization)`))
    expect((await ask()).status).toBe(200)
  })

  async function rename(from: string, to: string): Promise<void> {
    await test.control.run(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${from}`)
    await test.control.run(sql`alter database ${identifier(from)} rename to ${identifier(to)}`)
  }

  /** Comments of databases, each derived from a comment of this version. */
  const COMMENTS: [string, (text: string) => string | null][] = [
    ['a comment of this version', (text) => text],
    [
      'a comment of an earlier version',
      (text) => JSON.stringify({ ...JSON.parse(text), oid: undefined, cluster: undefined, sandboxId: undefined }),
    ],
    ['no comment', () => null],
  ]
  /** Two sandboxes whose databases contain their organizations. The comment of the second database is changed. */
  async function two(change: (text: string) => string | null) {
    const both = [await restored(), await restored()] as const
    for (const { sandboxId, ask, inDatabase } of both) {
      const own = sandboxId.replace('sbx_', 'org_')
      await inDatabase((database) => database.run(sql`insert into organizations values (${own})`))
      expect((await ask()).status).toBe(200)
    }
    const text = change((await both[1].comment())!)
    await test.control.run(
      sql`comment on database ${identifier(both[1].name)} is ${text === null ? sql`null` : literal(text)}`,
    )
    return both
  }

  it.each(
    COMMENTS.flatMap(([comment, change]) => [
      { comment, change, what: 'reset', method: 'POST', action: '/reset' },
      { comment, change, what: 'deleted', method: 'DELETE', action: '' },
    ]),
  )(
    '[SBX-76] when $what, sets aside, and does not drop, a database that has the name of the sandbox’s database but belongs to another sandbox ($comment)',
    async ({ change, method, action }) => {
      const [first, second] = await two(change)
      await test.stop()
      await rename(first.name, 'renamed_first')
      await rename(second.name, first.name)
      await test.start()
      const foreign = async () => await listForeign(test.control, await test.servers(), test.folder)
      expect(await foreign()).toEqual([{ id: first.sandboxId, ofSandbox: second.sandboxId }])
      const path = `/api/v1/sandboxes/${first.sandboxId}${action}`
      expect((await test.call({ key: first.key, path, method })).status).toBe(method === 'POST' ? 202 : 204)
      if (method === 'POST') await test.waitWhileProvisioning(first.key, first.sandboxId)
      const aside = await test.control.row<{ name: string }>(
        sql`select datname as name from pg_database where starts_with(datname, ${`${first.name}_set_aside_`})`,
      )
      expect(await foreign()).toEqual([])
      expect(await listSetAside(await test.servers())).toEqual([aside!.name])
      await rename(aside!.name, second.name)
      await test.control.run(sql`drop database renamed_first`)
      await sweep()
      expect((await second.ask()).status).toBe(200)
      await second.inDatabase(async (database) => {
        const id = second.sandboxId.replace('sbx_', 'org_')
        expect(await database.rows(sql`select id from organizations`)).toEqual([{ id }])
      })
    },
  )

  it.each(COMMENTS)(
    '[SBX-76] when deleted, frees the name of its database; another sandbox’s database that then gets this name is listed as needed (%s)',
    async (_, change) => {
      const [first, second] = await two(change)
      const path = `/api/v1/sandboxes/${first.sandboxId}`
      expect((await test.call({ key: first.key, path, method: 'DELETE' })).status).toBe(204)
      await test.stop()
      await rename(second.name, first.name)
      await test.start()
      expect(await sweep()).toMatchObject([{ id: first.sandboxId, isNeeded: true, ofSandbox: second.sandboxId }])
      await rename(first.name, second.name)
      await sweep()
      expect((await second.ask()).status).toBe(200)
    },
  )

  it('[SBX-72] does not use another sandbox’s database, even if the database was renamed to the name of this sandbox’s database', async () => {
    const [first, second] = [await restored(), await restored()]
    for (const { sandboxId, ask, inDatabase } of [first, second]) {
      const own = sandboxId.replace('sbx_', 'org_')
      await inDatabase((database) => database.run(sql`insert into organizations values (${own})`))
      expect((await ask()).status).toBe(200)
    }
    const setOwner = ({ name }: { name: string }) =>
      test.control.run(sql`alter database ${identifier(name)} owner to ${identifier(name)}`)
    await test.stop()
    await rename(first.name, 'renamed_first')
    await rename(second.name, first.name)
    await setOwner(first)
    await test.start()
    expect(await first.ask()).toMatchObject({ json: { detail: expect.stringContaining('another sandbox') } })
    await rename(first.name, second.name)
    await rename('renamed_first', first.name)
    for (const one of [first, second]) await setOwner(one)
    await sweep()
    for (const { ask } of [first, second]) expect((await ask()).status).toBe(200)
  })

  it('[SBX-72] does not use another sandbox’s database, even if the database was restored under the name of this sandbox’s database', async () => {
    const { sandboxId, ask, inDatabase } = await restored()
    await inDatabase((database) => database.run(sql`insert into organizations values ('org_other')`))
    for (let i = 0; i < 2; i++)
      expect(await ask()).toMatchObject({ status: 503, json: { detail: expect.stringContaining('another sandbox') } })
    expect(linesOf(sandboxId)).toEqual(['sandbox database not used'])
    const own = sandboxId.replace('sbx_', 'org_')
    await inDatabase((database) => database.run(sql`insert into organizations values (${own})`))
    expect((await ask()).status).toBe(200)
  })

  it('[SBX-70] records that a database is complete if a backup was restored into the database of an unfinished reset', async () => {
    const { sandboxId, name, ask } = await restored()
    expect((await ask()).status).toBe(200)
    const comment = async () =>
      (await test.control.row<{ text: string }>(
        sql`select shobj_description(oid, 'pg_database') as text from pg_database where datname = ${name}`,
      ))!.text
    const { result, ...unfinished } = JSON.parse(await comment())
    expect(result).toBeDefined()
    await test.stop()
    await test.control.run(sql`comment on database ${identifier(name)} is ${literal(JSON.stringify(unfinished))}`)
    await test.start()
    expect((await ask()).status).toBe(200)
    expect(JSON.parse(await comment())).toEqual({ ...unfinished, result })
    expect(linesOf(sandboxId)).toEqual([])
  })

  it('[SBX-75] has its database checked again after a suspension, because a backup may have been restored into the database meanwhile', async () => {
    const { sandboxId, ask, inDatabase } = await restored()
    const own = sandboxId.replace('sbx_', 'org_')
    await inDatabase((database) => database.run(sql`insert into organizations values (${own})`))
    expect((await ask()).status).toBe(200)
    const afterSuspension = async (work: (database: Database) => Promise<unknown>) => {
      await test.control.transaction((tx) => setSuspended(tx, sandboxId, null))
      await test.stop()
      await inDatabase(work)
      await test.control.transaction((tx) => clearSuspended(tx, sandboxId))
      await test.start()
      return await ask()
    }
    expect((await afterSuspension((database) => database.run(sql`select 1`))).status).toBe(200)
    expect(await afterSuspension((database) => database.run(sql`drop index rooms_name`))).toMatchObject({
      status: 503,
      json: { detail: expect.stringContaining('incomplete') },
    })
    await inDatabase((database) => database.run(sql`create index rooms_name on rooms (name)`))
    expect((await ask()).status).toBe(200)
    const rename = (to: string) => (database: Database) => database.run(sql`update organizations set id = ${to}`)
    expect(await afterSuspension(rename('org_other'))).toMatchObject({
      status: 503,
      json: { detail: expect.stringContaining('another sandbox') },
    })
    await inDatabase(rename(own))
    expect((await ask()).status).toBe(200)
  })

  it.each([
    ['pg_restore', ''],
    ['psql', ''],
    ['a program in a transaction', 'begin'],
  ])('[SBX-70] does not use a database that is in use by %s', async (tool, statement) => {
    const { ask, url } = await restored()
    const client = new pg.Client({ connectionString: url.href, application_name: tool })
    await client.connect()
    await client.query(statement)
    expect(await ask()).toMatchObject({ status: 503, json: { detail: expect.stringContaining('incomplete') } })
    await client.end()
    await expect.poll(async () => (await ask()).status).toBe(200)
  })

  it('[SBX-70] neither uses nor migrates an empty database, because a restore first creates an empty one', async () => {
    const { sandboxId, name, ask, inDatabase } = await restored()
    await test.control.run(sql`alter database ${identifier(name)} rename to ${identifier(`kept_${sandboxId}`)}`)
    await sweep()
    await test.control.run(sql`create database ${identifier(name)} owner ${identifier(name)}`)
    for (let i = 0; i < 2; i++) await sweep()
    expect(await ask()).toMatchObject({ status: 503 })
    expect((await listMissing(test.control)).map(({ id }) => id)).toContain(sandboxId)
    await inDatabase(async (database) =>
      expect(await database.rows(sql`select 1 from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]),
    )
    await test.control.run(sql`drop database ${identifier(name)} with (force)`)
    await test.control.run(sql`alter database ${identifier(`kept_${sandboxId}`)} rename to ${identifier(name)}`)
    await sweep()
    expect((await ask()).status).toBe(200)
  })
})
