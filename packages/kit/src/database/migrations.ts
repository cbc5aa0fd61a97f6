import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tx } from './database.ts'
import { identifier, sql } from './sql.ts'

export interface Migration {
  version: number
  name: string
  text: string
  checksum: string
}

/** A ladder of numbered `.sql` files, in order. */
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
    return { version: i + 1, name: match[2]!, text, checksum: createHash('sha256').update(text).digest('hex') }
  })
}

/** A short name for the state a ladder leads to: it changes with any change of any step. */
export function ladderFingerprint(migrations: readonly Migration[]): string {
  const hash = createHash('sha256')
  for (const migration of migrations) hash.update(migration.checksum)
  return hash.digest('hex').slice(0, 12)
}

/** Any number; all programs that climb a ladder in one database must agree on it. */
const LOCK = 7_305_017

/**
 * Climbs the ladder: each step in a transaction of its own, under a lock, so that twenty processes may try at a time.
 * A session, not a pool: the lock belongs to the connection. Ladders that share a database have a ledger each.
 */
export async function migrate(
  session: Tx,
  migrations: readonly Migration[],
  ledger = 'schema_migrations',
): Promise<number> {
  await session.run(sql`select pg_advisory_lock(${LOCK})`)
  try {
    await session.client.query(`create table if not exists ${ledger} (
      version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
    const done = await session.rows<{ version: number; checksum: string }>(
      sql`select version, checksum from ${identifier(ledger)} order by version`,
    )
    checkDone(done, migrations)
    for (const migration of migrations.slice(done.length)) await climb(session, migration, ledger)
    return migrations.length - done.length
  } finally {
    await session.run(sql`select pg_advisory_unlock(${LOCK})`)
  }
}

function checkDone(done: readonly { version: number; checksum: string }[], migrations: readonly Migration[]): void {
  if (done.length > migrations.length) {
    throw new Error(`the database is at version ${done.length}, this program knows ${migrations.length}: update it`)
  }
  for (const [i, { version, checksum }] of done.entries()) {
    if (migrations[i]?.checksum !== checksum) {
      throw new Error(`migration ${version} was changed after it had been applied: add a new one instead`)
    }
  }
}

async function climb(session: Tx, { version, name, text, checksum }: Migration, ledger: string): Promise<void> {
  await session.client.query('begin')
  try {
    await session.client.query(text)
    await session.run(
      sql`insert into ${identifier(ledger)} (version, name, checksum) values (${version}, ${name}, ${checksum})`,
    )
    await session.client.query('commit')
  } catch (cause) {
    await session.client.query('rollback').catch(() => undefined)
    throw new Error(`migration ${version}-${name} failed`, { cause })
  }
}
