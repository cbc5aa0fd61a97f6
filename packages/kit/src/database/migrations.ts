import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Log, silentLog } from '../log.ts'
import { StartupError } from '../startup-error.ts'
import type { Queryable, Tx } from './database.ts'
import { identifier, sql } from './sql.ts'
import { exceededLimit, TIME_LIMITS, type TimeLimits } from './time-limits.ts'
import { unavailableCode } from './unavailable.ts'

export interface Migration {
  version: number
  name: string
  text: string
  checksum: string
}

/** Reads numbered `.sql` files, in order. */
export function readMigrations(directory: string): Migration[] {
  const files = readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
  return files.map((file, i) => {
    const match = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file)
    if (!match || Number(match[1]) !== i + 1) {
      throw new Error(`${file}: migrations are named 0001-what-it-does.sql, without gaps`)
    }
    const text = readFileSync(join(directory, file), 'utf8')
    return { version: i + 1, name: match[2]!, text, checksum: checksumOf(file, text) }
  })
}

/** The first line of a file whose comments were changed after it had been released. */
const RELEASED = /^-- checksum ([0-9a-f]{64}), statements ([0-9a-f]{16})\n/

/**
 * Databases store the checksum of each applied migration: the hash of the whole file, comments included. If only
 * comments were changed after the release, the first line of the file names the checksum of the released file and a
 * hash of its statements. The statements in the file must still have that hash.
 */
function checksumOf(file: string, text: string): string {
  const [, checksum, statements] = RELEASED.exec(text) ?? []
  if (checksum === undefined) return sha256(text)
  const found = sha256(withoutComments(text)).slice(0, 16)
  if (statements !== found) throw new Error(`${file}: the hash of its statements is ${found}, not ${statements}`)
  return checksum
}

const withoutComments = (text: string): string =>
  text
    .replace(/--.*$/gm, '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .join(' ')

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A short hash of all migrations. */
export function schemaFingerprint(migrations: readonly Migration[]): string {
  const hash = createHash('sha256')
  for (const migration of migrations) hash.update(migration.checksum)
  return hash.digest('hex').slice(0, 12)
}

/** The default name of the table of applied migrations. */
export const MIGRATIONS_TABLE = 'schema_migrations'

/** The key of the advisory lock for migrations: an arbitrary number, the same in all processes. */
export const MIGRATION_LOCK = 7_305_017

/** The database was migrated by a newer version of the program. */
export class SchemaAhead extends StartupError {
  override name = 'SchemaAhead'
  constructor(has: number, knows: number) {
    super(`The database is at version ${has}, but this program supports versions up to ${knows}. Update the program.`)
  }
}

/** A migration that starts; `done` of the `total` migrations were applied before it. */
export interface MigrationStep {
  done: number
  total: number
  name: string
}

export interface MigrateOptions {
  /** Gets a line about once a minute while a lock is not acquired. */
  log?: Log
  migrationsTable?: string
  onStep?(step: MigrationStep): Promise<void>
  limits?: TimeLimits
  /** How many times a migration is retried when it does not get a lock on a table. */
  retries?: number
}

const RETRIES = 10
const RETRY_PAUSE_MS = 1_000
/** While a lock is not acquired, a line is logged once in this many attempts, which is about once a minute. */
const ATTEMPTS_PER_LINE = 10

/**
 * Applies pending migrations, each in its own transaction, under a session lock, so that several processes can call
 * this at the same time. Sets of migrations that share a database have separate tables of applied migrations.
 */
export async function migrate(
  session: Tx,
  migrations: readonly Migration[],
  { limits = TIME_LIMITS.migration, ...options }: MigrateOptions = {},
): Promise<number> {
  return await session.withLimits(limits, () => migrateWithinLimits(session, migrations, options))
}

async function migrateWithinLimits(
  session: Tx,
  migrations: readonly Migration[],
  { log = silentLog, migrationsTable = MIGRATIONS_TABLE, onStep, retries = RETRIES }: MigrateOptions,
): Promise<number> {
  // Retried without a limit, because the migrations of another process may take hours.
  await retryLocked(
    () => session.run(sql`select pg_advisory_lock(${MIGRATION_LOCK})`),
    Number.POSITIVE_INFINITY,
    async () => {
      const holder = await readHolder(session).catch(() => undefined)
      log.warn({ ...holder }, 'waiting for the migrations of another process')
    },
  )
  try {
    await session.client.query(`create table if not exists ${migrationsTable} (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
    const done = await session.rows<{ version: number; checksum: string }>(
      sql`select version, checksum from ${identifier(migrationsTable)} order by version`,
    )
    checkDone(done, migrations)
    for (const [i, migration] of migrations.entries()) {
      if (i < done.length) continue
      await onStep?.({ done: i, total: migrations.length, name: `${migration.version}-${migration.name}` })
      await retryLocked(
        () => applyMigration(session, migration, migrationsTable),
        retries,
        () => log.warn({ migration: migration.name }, 'migration waiting for a lock that another session holds'),
      )
    }
    return migrations.length - done.length
  } finally {
    // This fails if the connection is broken, and then the server has released the lock.
    await session.run(sql`select pg_advisory_unlock(${MIGRATION_LOCK})`).catch(() => undefined)
  }
}

/**
 * Runs `work` again when it did not get a lock. While a migration waits for the exclusive lock of a table, all later
 * statements on the table wait behind the migration. These statements can run between two attempts.
 */
async function retryLocked(
  work: () => Promise<unknown>,
  retries: number,
  onWait: () => Promise<void> | void,
): Promise<void> {
  for (let retry = 0; ; retry++) {
    try {
      return void (await work())
    } catch (err) {
      if (exceededLimit(unavailableCode(err)) !== 'lock' || retry >= retries) throw err
      if (retry % ATTEMPTS_PER_LINE === 0) await onWait()
      await sleep(RETRY_PAUSE_MS)
    }
  }
}

/** The session that holds the lock for migrations. */
const readHolder = (session: Tx) =>
  session.row<{ pid: number; applicationName: string; clientAddress: string | null }>(sql`
    select pid, application_name as "applicationName", host(client_addr) as "clientAddress"
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and classid = 0 and objid = ${MIGRATION_LOCK} and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())`)

/** The schema version of a database; 0 if it has no table of applied migrations. */
export async function readVersion(session: Tx, migrationsTable = MIGRATIONS_TABLE): Promise<number> {
  return (await readDone(session, migrationsTable)).length
}

/**
 * Whether the table of applied migrations has its primary key. Tools that restore a database create its keys after all
 * rows, so a database without this key is incomplete.
 */
export async function hasMigrationsKey(db: Queryable): Promise<boolean> {
  const count = await db.run(
    sql`select 1 from pg_constraint where conrelid = to_regclass(${MIGRATIONS_TABLE}) and contype = 'p'`,
  )
  return count > 0
}

/**
 * Compares a database with this program's migrations. Throws when an applied migration was changed, unless the database
 * is ahead.
 */
export async function compareSchema(
  session: Tx,
  migrations: readonly Migration[],
): Promise<{ state: 'same' | 'behind' | 'ahead'; version: number }> {
  const done = await readDone(session, MIGRATIONS_TABLE)
  const version = done.length
  if (version > migrations.length) return { state: 'ahead', version }
  checkDone(done, migrations)
  return { state: version === migrations.length ? 'same' : 'behind', version }
}

async function readDone(session: Tx, migrationsTable: string): Promise<{ version: number; checksum: string }[]> {
  const found = await session.row<{ name: string | null }>(sql`select to_regclass(${migrationsTable})::text as name`)
  if (found?.name == null) return []
  return await session.rows<{ version: number; checksum: string }>(
    sql`select version, checksum from ${identifier(migrationsTable)} order by version`,
  )
}

function checkDone(done: readonly { version: number; checksum: string }[], migrations: readonly Migration[]): void {
  if (done.length > migrations.length) {
    throw new SchemaAhead(done.length, migrations.length)
  }
  for (const [i, { version, checksum }] of done.entries()) {
    if (migrations[i]?.checksum !== checksum) {
      throw new Error(`migration ${version} was changed after it had been applied: add another migration instead`)
    }
  }
}

async function applyMigration(
  session: Tx,
  { version, name, text, checksum }: Migration,
  migrationsTable: string,
): Promise<void> {
  await session.client.query('begin')
  try {
    await session.client.query(text)
    await session.run(
      sql`insert into ${identifier(migrationsTable)} (version, name, checksum) values (${version}, ${name}, ${checksum})`,
    )
    await session.client.query('commit')
  } catch (cause) {
    await session.client.query('rollback').catch(() => undefined)
    throw new Error(`migration ${version}-${name} failed`, { cause })
  }
}
