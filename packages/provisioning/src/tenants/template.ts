import {
  type Database,
  databaseExists,
  type Migration,
  migrate,
  openDatabase,
  readSchema,
  type SchemaObjects,
  schemaFingerprint,
  type Tx,
  withDatabaseName,
} from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { StartupError } from '@storey/kit/startup-error'
import * as store from './tenants.store.ts'

const OBJECT_IN_USE = '55006'
const IN_USE =
  'A connection of a superuser stays open in a database that the service has just created, so the database cannot be renamed. If the address of the server points to PgBouncer, set its auth_dbname (PgBouncer 1.19 or later), or use the address of PostgreSQL itself.'

export interface TemplateOptions {
  /** Connections to a database of the server, as a role that may create databases. */
  admin: Database
  serverUrl: string
  migrations: readonly Migration[]
  prefix: string
  log: Log
}

/**
 * Ensures that the server has the template of all its tenant databases, and returns the template's name. The template
 * is migrated once, named after its schema, and closed to connections. Its objects belong to `pg_database_owner`, whose
 * only member in each clone is the tenant's own role.
 */
export async function ensureTemplate(options: TemplateOptions): Promise<string> {
  const { admin, prefix, migrations } = options
  const templates = `${prefix}template_`
  const name = templates + schemaFingerprint(migrations)
  await store.withTemplateLock(admin, async () => {
    for (const found of await store.listDatabases(admin, templates)) {
      if (found === name && (await store.findDatabase(admin, name))) continue
      await store.unmarkTemplate(admin, found)
      await store.dropDatabase(admin, found)
    }
    if (!(await databaseExists(admin, name))) await build(name, options)
  })
  return name
}

/** Builds the template under a draft name and then renames it, so that an existing template is always complete. */
async function build(name: string, options: TemplateOptions): Promise<void> {
  const draft = await buildDraft(options, async () => undefined)
  await store.markAsTemplate(options.admin, draft, name).catch((err) => {
    throw err.code === OBJECT_IN_USE ? new StartupError(IN_USE, { cause: err }) : err
  })
}

/** The schema objects of a database at this schema version. To read them, a database is built and then dropped. */
export async function readExpectedSchema(options: TemplateOptions, version: number): Promise<SchemaObjects> {
  const { admin } = options
  let objects: SchemaObjects = new Set()
  await store.withTemplateLock(admin, async () => {
    const migrations = options.migrations.slice(0, version)
    const draft = await buildDraft({ ...options, migrations }, async (session) => {
      objects = await readSchema(session)
    })
    await store.dropDatabase(admin, draft)
  })
  return objects
}

/** Creates a database with the schema, calls `work` in it, and returns its name. */
async function buildDraft(options: TemplateOptions, work: (session: Tx) => Promise<void>): Promise<string> {
  const { admin, serverUrl, migrations, prefix, log } = options
  const draft = `${prefix}draft`
  await store.dropDatabase(admin, draft)
  await store.createEmptyDatabase(admin, draft)
  const url = withDatabaseName(serverUrl, draft)
  const database = openDatabase({ url, log, applicationName: 'storey-template', maxConnections: 1 })
  try {
    await database.session(async (session) => {
      await store.actAsDatabaseOwner(session)
      await migrate(session, migrations, { log })
      await work(session)
    })
  } finally {
    await database.close()
  }
  return draft
}
