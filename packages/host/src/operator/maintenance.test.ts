import { identifier, migrate, readMigrations, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { CONTROL_MIGRATIONS } from '@storey/provisioning/operator'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runProgram } from './program.ts'

let test: TestDatabase
beforeEach(async () => {
  test = await testDatabase({ migrations: [] })
})
afterEach(() => test.drop())

async function operator(...args: string[]) {
  const env = { DATABASE_URL: test.url, MASTER_SECRET: 'x'.repeat(40), DATA_DIR: temporaryFolder('storey-maintenance') }
  const printed = { stdout: '', stderr: '' }
  const streamTo = (name: keyof typeof printed) => ({
    write(text: string) {
      printed[name] += text
    },
  })
  const { exitCode } = await runProgram(args, env, { stdout: streamTo('stdout'), stderr: streamTo('stderr') })
  return { ...printed, exitCode }
}

const migrateControl = (count?: number) =>
  test.database.session((session) => migrate(session, readMigrations(CONTROL_MIGRATIONS).slice(0, count)))

it('[HST-34] migrate and migrate --check print their list with --json even if a sandbox cannot be migrated', async () => {
  const organizationId = (await operator('org', 'create', 'Acme')).stdout.trim()
  const { database: db } = test
  await db.run(sql`insert into installation (tag) values ('maint1')`)
  await db.run(sql`insert into developers (id, organization_id, created_at) values ('dev', ${organizationId}, now())`)
  await db.run(sql`insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building,
      telemetry_days, status, created_at, requested_at, expires_at, request_hash, server_id)
    values ('sbx_a', 'dev', ${organizationId}, 'org_a', 'n', 'a', '{}', 0, 'ready', now(), now(), now(), '', 'control')`)
  const sandbox = { id: 'sbx_a', slug: 'a', from: null, to: expect.any(Number) }
  const reason = expect.stringContaining('does not exist')

  const check = await operator('migrate', '--check', '--json')
  expect(JSON.parse(check.stdout)).toEqual([{ ...sandbox, problem: reason }])
  expect(JSON.parse(check.stderr).error.message).toBe('1 sandbox cannot be migrated by this version.')
  expect(check.exitCode).toBe(1)

  const migration = await operator('migrate', '--json')
  expect(JSON.parse(migration.stdout)).toEqual([{ ...sandbox, outcome: reason }])
  expect(JSON.parse(migration.stderr).error.message).toBe('1 sandbox could not be migrated.')
  expect(migration.exitCode).toBe(1)
})

it('[HST-34] migrate --check changes nothing in the control database', async () => {
  await migrateControl()
  const { database: db } = test
  const state = async () => ({
    privileges: await db.row(sql`select datacl::text as acl from pg_database where datname = current_database()`),
    tags: await db.rows(sql`select tag from installation`),
  })
  await db.run(sql`grant connect on database ${identifier(new URL(test.url).pathname.slice(1))} to public`)
  const before = await state()
  expect(await operator('migrate', '--check')).toEqual({ stdout: '', stderr: '', exitCode: 0 })
  expect(await state()).toEqual(before)
})

it('[HST-34] migrate --check refuses a control database with an older schema, and does not migrate it', async () => {
  await migrateControl(5)
  const { stderr, exitCode } = await operator('migrate', '--check')
  expect(stderr).toContain('The control database has an older schema than this program')
  expect(exitCode).toBe(1)
  expect(await test.database.rows(sql`select version from schema_migrations`)).toHaveLength(5)
})
