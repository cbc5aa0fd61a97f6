import { IDENTITY_MIGRATIONS, IDENTITY_MIGRATIONS_TABLE } from '@storey/identity/migrations'
import { type Database, identifier, migrate, openDatabase, readMigrations, type Sql, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { CONTROL_MIGRATIONS } from '@storey/provisioning/operator'
import pg from 'pg'
import { afterEach, expect, it } from 'vitest'
import { findObstacle, refuseIncompleteControl } from './incomplete-control.ts'
import { runDoctor } from './operator/doctor/run-doctor.ts'
import { runOperator } from './operator/run-operator.ts'

const CONTROL = readMigrations(CONTROL_MIGRATIONS)
const IDENTITY = readMigrations(IDENTITY_MIGRATIONS)
const identityTable = { migrationsTable: IDENTITY_MIGRATIONS_TABLE }

const open: { drop(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.drop()
})

async function newDatabase() {
  const test = await testDatabase({ migrations: [] })
  open.push(test)
  await test.database.run(sql`drop table schema_migrations`)
  return test
}

/** A control database with rows, as a service leaves it. */
async function usedDatabase() {
  const test = await testDatabase({ migrations: CONTROL, content: { key: 'incomplete-control', write: fill } })
  open.push(test)
  return test
}

async function fill(database: Database): Promise<void> {
  await database.session((session) => migrate(session, IDENTITY, identityTable))
  const statements = [
    sql`insert into installation (tag) values ('abcdef')`,
    sql`insert into organizations values ('org_a', 'A', now())`,
    sql`insert into developers (id, organization_id, email, created_at) values ('dev_a', 'org_a', 'a@example.com', now())`,
    sql`insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building, telemetry_days,
      status, created_at, requested_at, expires_at, request_hash) values ('sbx_a', 'dev_a', 'org_a', 'org_b', 'A', 'a', '{}', 1,
      'ready', now(), now(), now(), '')`,
    sql`insert into key_audit (at, action, outcome) values (now(), 'key.used', 'denied')`,
  ]
  for (const statement of statements) await database.run(statement)
}

/** Opens a connection with the name of another program. The connection stays open until the test ends. */
async function connect(url: string, application_name: string, statement = '') {
  const client = new pg.Client({ connectionString: url, application_name })
  await client.connect()
  await client.query(statement)
  open.push({ drop: () => client.end() })
}

async function countRows(db: Database): Promise<unknown> {
  const tables = await db.rows<{ name: string }>(sql`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`)
  return await Promise.all(
    tables.map(({ name }) =>
      db.session(async ({ client }) => [name, (await client.query(`select count(*) from "${name}"`)).rows]),
    ),
  )
}

it('[HST-89] a new control database can be used, and so can a control database of any earlier version', async () => {
  const { database } = await newDatabase()
  expect(await findObstacle(database)).toBeUndefined()
  for (const [migrations, options] of [[IDENTITY, identityTable] as const, [CONTROL, {}] as const]) {
    for (let version = 0; version <= migrations.length; version++) {
      await database.session((session) => migrate(session, migrations.slice(0, version), options))
      expect(await findObstacle(database)).toBeUndefined()
    }
  }
})

it('[HST-89] a control database of a newer version, or with objects that an operator added, counts as complete', async () => {
  const { database } = await usedDatabase()
  await database.run(sql`create index own on sandboxes (name)`)
  await database.run(sql`create table notes (id int generated always as identity)`)
  await database.run(sql`insert into notes overriding system value values (7)`)
  expect(await findObstacle(database)).toBeUndefined()
  await database.run(sql`insert into schema_migrations values (${CONTROL.length + 1}, 'newer', 'x')`)
  await database.run(sql`drop index sandboxes_by_status`)
  expect(await findObstacle(database)).toBeUndefined()
})

it.each<[string, Sql, string]>([
  [
    'a key',
    sql`alter table installation drop constraint installation_pkey`,
    'constraint installation installation_pkey',
  ],
  ['an index', sql`drop index sandboxes_by_status`, 'index sandboxes_by_status'],
  ['a trigger', sql`drop trigger key_audit_append_only on key_audit`, 'trigger key_audit key_audit_append_only'],
  ['a foreign key', sql`alter table sandboxes drop constraint sandboxes_server_id_fkey`, 'sandboxes_server_id_fkey'],
  ['enabled triggers', sql`alter table operator_audit disable trigger all`, 'trigger operator_audit'],
  ['a table', sql`drop table leftovers`, 'relation leftovers'],
  ['a function', sql`drop function refuse_audit_change cascade`, 'function refuse_audit_change'],
  ['values of sequences', sql`alter sequence key_audit_id_seq restart`, 'values of sequences'],
  [
    'the key of its migrations',
    sql`alter table schema_migrations drop constraint schema_migrations_pkey`,
    'schema_migrations',
  ],
  ['its migrations', sql`drop table schema_migrations`, 'rows of schema_migrations'],
  ['the rows of its migrations', sql`delete from schema_migrations`, 'rows of schema_migrations'],
  ['some rows of its migrations', sql`delete from schema_migrations where version > 12`, 'rows of schema_migrations'],
  ['its tag', sql`delete from installation`, 'row of installation'],
  [
    'a key of the embedded provider',
    sql`alter table identity_keys drop constraint identity_keys_pkey`,
    'identity_keys_pkey',
  ],
  ['migrations of the embedded provider', sql`delete from identity_migrations`, 'rows of identity_migrations'],
])('[HST-89] without %s a control database is incomplete', async (_what, statement, named) => {
  const { database } = await usedDatabase()
  expect(await findObstacle(database)).toBeUndefined()
  await database.run(statement)
  expect((await findObstacle(database))?.reason).toMatch(/^is incomplete: it is probably being restored, and lacks /)
  expect((await findObstacle(database))?.reason).toContain(named)
})

it('[HST-89] a control database of an earlier version is incomplete without an index of that version', async () => {
  const { database } = await newDatabase()
  await database.session((session) => migrate(session, CONTROL.slice(0, 15)))
  await database.run(sql`drop index sandboxes_with_work`)
  expect((await findObstacle(database))?.reason).toContain('lacks index sandboxes_with_work')
})

it('[HST-89] the first three missing objects are named, and the others counted', async () => {
  const { database } = await usedDatabase()
  await database.run(sql`drop table sandboxes cascade`)
  await expect(refuseIncompleteControl(database)).rejects.toThrow(
    /^The control database is incomplete: it is probably being restored, and lacks constraint .+, .+, .+ and \d\d more: wait/,
  )
})

it('[HST-89] a control database is not used while pg_restore is connected to it', async () => {
  const { database, url } = await usedDatabase()
  await connect(url, 'psql', 'begin')
  expect(await findObstacle(database)).toBeUndefined()
  await connect(url, 'pg_restore')
  expect((await findObstacle(database))?.reason).toContain(
    'is probably being restored: pg_restore is connected to this database (if pg_restore restores nothing,',
  )
})

it('[HST-89] an empty control database is not used while psql works in it, as during a restore in one transaction', async () => {
  const { database, url } = await newDatabase()
  await connect(url, 'psql')
  expect(await findObstacle(database)).toBeUndefined()
  await connect(url, 'psql', 'begin')
  expect((await findObstacle(database))?.reason).toContain('is probably being restored: psql is connected')
})

it('[HST-89] the restore tools of a superuser are noticed by a role that is not a superuser', async () => {
  const { database, url } = await newDatabase()
  const role = `owner_${process.pid}`
  await database.run(sql`create role ${identifier(role)} login password 'secret'`)
  const ownUrl = Object.assign(new URL(url), { username: role, password: 'secret' })
  const own = openDatabase({ url: ownUrl.href, log: silentLog, applicationName: 'test', maxConnections: 1 })
  expect(await findObstacle(own)).toBeUndefined()
  await connect(url, 'psql', 'begin')
  expect((await findObstacle(own))?.reason).toContain('psql is connected to this database')
  await own.close()
  await database.run(sql`drop role ${identifier(role)}`)
})

it('[HST-89, OPR-11] with an incomplete control database commands are refused and the doctor reports a problem, and neither changes anything', async () => {
  const { database, url } = await usedDatabase()
  const env = { DATABASE_URL: url, DATA_DIR: temporaryFolder('storey-incomplete'), MASTER_SECRET: 'x'.repeat(40) }
  const diagnose = async () => (await runDoctor(env)).text
  expect(await diagnose()).toContain('the control database has the newest schema')
  await database.run(sql`alter table installation drop constraint installation_pkey`)
  await database.run(sql`alter table organizations drop constraint organizations_pkey cascade`)
  const before = await countRows(database)
  for (const command of [['sandbox', 'list'], ['leftovers'], ['server', 'list'], ['key', 'mint', '--org', 'org_a']])
    await expect(runOperator(command, env)).rejects.toThrow('The control database is incomplete')
  expect(await diagnose()).toMatch(/^problem +database +the control database is incomplete/m)
  expect(await countRows(database)).toEqual(before)
})

it('[OPR-11] the doctor creates no tag in a control database that no service has used', async () => {
  const { database, url } = await newDatabase()
  await database.session((session) => migrate(session, CONTROL))
  const dataDir = temporaryFolder('storey-untagged')
  await runDoctor({ DATABASE_URL: url, DATA_DIR: dataDir, MASTER_SECRET: 'x'.repeat(40) })
  expect(await database.rows(sql`select tag from installation`)).toEqual([])
})

it('[HST-89] a control database whose tables belong to another role is refused with advice', async () => {
  const { database, url } = await usedDatabase()
  const role = `other_${process.pid}`
  await database.run(sql`create role ${identifier(role)} login password 'secret'`)
  const own = new URL(url)
  own.username = role
  own.password = 'secret'
  await database.run(sql`grant connect on database ${identifier(own.pathname.slice(1))} to ${identifier(role)}`)
  const control = openDatabase({ url: own.href, log: silentLog, applicationName: 'test', maxConnections: 1 })
  await expect(refuseIncompleteControl(control)).rejects.toThrow(
    /has tables of another role .*permission denied.*reassign owned/,
  )
  await control.close()
  await database.run(sql`drop owned by ${identifier(role)}`)
  await database.run(sql`drop role ${identifier(role)}`)
})
