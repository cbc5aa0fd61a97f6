import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Log, silentLog } from '../log.ts'
import { StartupError } from '../startup-error.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { MIGRATION_LOCK, type Migration, migrate, readMigrations } from './migrations.ts'
import { sql } from './sql.ts'
import { TIME_LIMITS } from './time-limits.ts'

const step = (version: number, text: string): Migration => ({ version, name: `step-${version}`, text, checksum: text })

describe('the checksum of a migration', () => {
  const folder = temporaryFolder('migrations')
  const checksumOf = (text: string) => {
    writeFileSync(join(folder, '0001-rooms.sql'), text)
    return readMigrations(folder)[0]!.checksum
  }
  const statements = 'create table rooms (\n  id int\n);\n'
  const released = checksumOf(`-- Rooms that are.\n${statements}`)
  const hash = createHash('sha256').update('create table rooms ( id int );').digest('hex').slice(0, 16)
  const first = `-- checksum ${released}, statements ${hash}\n`

  it('does not change with the comments if the first line names the released checksum and the hash of the statements', () => {
    expect(checksumOf(`-- Rooms.\n${statements}`)).not.toBe(released)
    expect(checksumOf(`${first}-- Rooms.\n${statements}`)).toBe(released)
    expect(checksumOf(`${first}create table rooms ( -- An enclosed part of a storey.\n\n  id int\n);`)).toBe(released)
  })

  it('is refused if the statements do not have the hash that the first line names', () => {
    expect(() => checksumOf(`${first}${statements.replace('int', 'text')}`)).toThrow(
      '0001-rooms.sql: the hash of its statements is',
    )
  })
})

describe('migrate', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
  })
  afterAll(() => test.drop())

  const migrations = [step(1, 'create table one (id int)'), step(2, 'create table two (id int)')]
  const applyMigration = (migrations: Migration[]) => test.database.session((session) => migrate(session, migrations))

  it('applies each migration once, however many processes try at a time', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => applyMigration(migrations)))
    expect(results.filter((steps) => steps === 2)).toHaveLength(1)
    expect(results.filter((steps) => steps === 0)).toHaveLength(19)
  })

  it('refuses a migration that was changed after it was applied', async () => {
    await expect(applyMigration([migrations[0]!, step(2, 'create table other (id int)')])).rejects.toThrow(
      'migration 2 was changed',
    )
  })

  it('refuses a database that is newer than the program', async () => {
    // The user has to fix this problem before the program can start, so its message is printed without a stack trace.
    await expect(applyMigration([migrations[0]!])).rejects.toBeInstanceOf(StartupError)
    await expect(applyMigration([migrations[0]!])).rejects.toThrow('The database is at version 2')
  })

  it('rolls back a migration that fails', async () => {
    const name = `t_${randomBytes(3).toString('hex')}`
    const bad = step(3, `create table ${name} (id int); select 1/0`)
    await expect(applyMigration([...migrations, bad])).rejects.toThrow('migration 3-step-3 failed')
    expect(await test.database.row(sql`select to_regclass(${name}) as found`)).toEqual({ found: null })
  })

  it('reports the migration in which the connection was lost', async () => {
    const lost = step(3, 'select pg_terminate_backend(pg_backend_pid())')
    await expect(applyMigration([...migrations, lost])).rejects.toThrow('migration 3-step-3 failed')
  })

  it('logs which session it waits for, while another process migrates the database', async () => {
    const lines: object[] = []
    const warn = (fields: object, text: string) => void lines.push({ ...fields, text })
    const log: Log = Object.create(silentLog, { warn: { value: warn } })
    const limits = { ...TIME_LIMITS.migration, lockMs: 20 }
    await test.database.session(async (other) => {
      const holder = await other.row<{ pid: number }>(
        sql`select pg_backend_pid() as pid, pg_advisory_lock(${MIGRATION_LOCK})`,
      )
      const migrating = test.database.session((session) => migrate(session, migrations, { log, limits }))
      await expect.poll(() => lines).toHaveLength(1)
      expect(lines[0]).toMatchObject({ pid: holder!.pid, text: 'waiting for the migrations of another process' })
      await other.run(sql`select pg_advisory_unlock(${MIGRATION_LOCK})`)
      await migrating
    })
  })

  it('[STK-29] waits briefly for a lock and tries again, so that requests wait only briefly behind the migration', async () => {
    const alter = step(3, 'alter table one add column n int')
    const limits = { ...TIME_LIMITS.migration, lockMs: 20 }
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const reading = test.database.transaction(async (tx) => {
      await tx.run(sql`select from one`)
      const attempt = (retries: number) =>
        test.database.session((session) => migrate(session, [...migrations, alter], { limits, retries }))
      await expect(attempt(0)).rejects.toThrow('migration 3-step-3 failed')
      const migrating = attempt(10)
      await released
      return { migrating }
    })
    // While the migration waits for its lock on the table, this read waits behind the migration.
    await expect.poll(() => test.database.run(sql`select from one`)).toBe(0)
    release()
    expect(await (await reading).migrating).toBe(1)
  })
})
