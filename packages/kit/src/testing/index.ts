import { createHash, randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import {
  type Database,
  identifier,
  type Migration,
  migrate,
  openDatabase,
  schemaFingerprint,
  sql,
  withDatabaseName,
} from '../database/index.ts'
import { silentLog } from '../log.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the superuser on the PostgreSQL that the test run started. */
    postgresUrl: string
  }
}

export { type SignOptions, startTestRealm, type TestRealm } from './realm.ts'
export { watchDocumented } from './watch-documented.ts'

export interface TestDatabase {
  url: string
  database: Database
  drop(): Promise<void>
}

export interface TestMigrations {
  migrations: readonly Migration[]
  /** The table of applied migrations; a default when absent. */
  migrationsTable?: string
  /** What the database contains at first. It is written once per run for each `key`. */
  content?: { key: string; write(database: Database): Promise<void> }
}

/** A new database for a test file, cloned from a template that is migrated and filled once per run. */
export async function testDatabase(options: TestMigrations): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  const server = openDatabase({ url: serverUrl, log: silentLog, applicationName: 'test', maxConnections: 2 })
  const template = await ensureTemplate(server, serverUrl, options)
  const name = `test_${randomBytes(6).toString('hex')}`
  // On a server without fsync, copying files takes half as long as PostgreSQL's default, which logs each page.
  await server.run(sql`create database ${identifier(name)} template ${identifier(template)} strategy file_copy`)
  const url = withDatabaseName(serverUrl, name)
  const database = openDatabase({ url, log: silentLog, applicationName: 'test' })
  return {
    url,
    database,
    drop: async () => {
      await database.close()
      await server.run(sql`drop database ${identifier(name)} with (force)`)
      await server.close()
    },
  }
}

const TEMPLATE_LOCK = 7_305_018
/** A template gets its own name only when it is complete, so that no test file clones one whose creation failed. */
const UNFINISHED = 'template_unfinished'

async function ensureTemplate(server: Database, serverUrl: string, options: TestMigrations): Promise<string> {
  const { migrations, migrationsTable, content } = options
  const parts = [schemaFingerprint(migrations), migrationsTable, content && hashOf(content.key)]
  const name = ['template', ...parts.filter((part) => part !== undefined)].join('_')
  await server.session(async (session) => {
    await session.run(sql`select pg_advisory_lock(${TEMPLATE_LOCK})`)
    try {
      if (await session.row(sql`select 1 from pg_database where datname = ${name}`)) return
      await session.run(sql`drop database if exists ${identifier(UNFINISHED)} with (force)`)
      await session.run(sql`create database ${identifier(UNFINISHED)}`)
      const url = withDatabaseName(serverUrl, UNFINISHED)
      const database = openDatabase({ url, log: silentLog, applicationName: 'test' })
      try {
        await database.session((inner) => migrate(inner, migrations, migrationsTable ? { migrationsTable } : {}))
        await content?.write(database)
      } finally {
        await database.close()
      }
      await session.run(sql`alter database ${identifier(UNFINISHED)} rename to ${identifier(name)}`)
    } finally {
      await session.run(sql`select pg_advisory_unlock(${TEMPLATE_LOCK})`)
    }
  })
  return name
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)

export function testServerUrl(): string {
  return inject('postgresUrl')
}
