import { progressSteps } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { type Busy, notBusy } from './busy.store.ts'

const open = (): Sql => sql`status = 'ready' and removing_at is null and expired_at is null`

/**
 * Schedules a migration to this version for all ready sandboxes that have another schema version, or whose migration to
 * another version is scheduled, in progress or failed.
 */
export async function markBehind(db: Queryable, version: number): Promise<number> {
  return await db.run(sql`update sandboxes set migration_target = ${version}, migration_attempts = 0,
      migration_failure = null, migration_next_at = null, progress_percent = 0,
      progress_step = ${progressSteps.format('migrationWaits', {})}
    where status = 'ready' and migration_target is distinct from ${version}
      and (schema_version is distinct from ${version} or migration_target is not null)`)
}

/** Schedules the migration of a sandbox whose stack reported another schema version. */
export async function markBehindOne(
  db: Queryable,
  id: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await db.run(sql`update sandboxes set schema_version = ${from}, migration_target = ${to}, migration_attempts = 0,
      migration_failure = null, migration_next_at = null, progress_percent = 0,
      progress_step = ${progressSteps.format('migrationWaits', {})}
    where id = ${id} and ${open()} and migration_target is null`)
}

/**
 * The functions below change and list only sandboxes whose migration to `version`, the version of this program, is
 * scheduled. During an update, control planes of two versions serve at the same time, and the other one may have
 * scheduled a migration to its own version.
 */
const isTarget = (version: number): Sql => sql`migration_target = ${version}`

const isDue = (version: number): Sql =>
  sql`${isTarget(version)} and ${open()} and (migration_next_at is null or migration_next_at <= now())`

/** The next sandboxes to migrate, without busy sandboxes (`Busy`). */
export async function listToMigrate(db: Queryable, version: number, busy: Busy, limit: number): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`select id from sandboxes where ${isDue(version)} and ${notBusy(busy)}
    order by migration_next_at nulls first, created_at desc limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Returns those of the ids whose sandboxes are to be migrated now, without the ids of busy sandboxes. */
export async function filterToMigrate(
  db: Queryable,
  version: number,
  busy: Busy,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    sql`select id from sandboxes where id = any(${ids}) and ${isDue(version)} and ${notBusy(busy)}`,
  )
  return rows.map(({ id }) => id)
}

/** A scheduled migration: the sandbox, and the schema version to which it is migrated. */
export interface Migrating {
  id: string
  version: number
}

const migrating = ({ id, version }: Migrating): Sql => sql`id = ${id} and ${isTarget(version)}`

export async function setMigrationProgress(
  db: Queryable,
  migration: Migrating,
  percent: number,
  step: string,
): Promise<void> {
  await db.run(sql`update sandboxes set progress_percent = ${percent}, progress_step = ${step}
    where ${migrating(migration)}`)
}

/** Records the schema version that the database has before the migration. */
export async function setSchemaVersion(db: Queryable, migration: Migrating, has: number): Promise<void> {
  await db.run(sql`update sandboxes set schema_version = ${has} where ${migrating(migration)}`)
}

export async function setMigrated(db: Queryable, migration: Migrating): Promise<void> {
  await db.run(sql`update sandboxes set schema_version = ${migration.version}, migration_target = null,
      migration_attempts = 0, migration_failure = null, migration_next_at = null, progress_percent = 100,
      progress_step = ${progressSteps.format('ready', {})}
    where ${migrating(migration)} and status = 'ready'`)
}

/** The pause before the next attempt doubles with each failure, up to `maxS`. */
export async function setMigrationFailed(
  db: Queryable,
  migration: Migrating,
  reason: string,
  pause: { firstS: number; maxS: number },
): Promise<void> {
  await db.run(sql`update sandboxes set migration_failure = ${reason}, migration_attempts = migration_attempts + 1,
      migration_next_at = now() + make_interval(secs => least(${pause.firstS} * 2 ^ least(migration_attempts, 10), ${pause.maxS}))
    where ${migrating(migration)}`)
}

export async function postponeMigration(db: Queryable, migration: Migrating, pauseS: number): Promise<void> {
  await db.run(sql`update sandboxes set migration_next_at = now() + make_interval(secs => ${pauseS})
    where ${migrating(migration)}`)
}

export interface MigrationCounts {
  /** How many migrations are scheduled or in progress. */
  due: number
  /** How many of the migrations in `due` failed at their last attempt. */
  failed: number
}

export async function countMigrations(db: Queryable): Promise<MigrationCounts> {
  const row = await db.row<MigrationCounts & Record<string, unknown>>(sql`
    select count(*) as due, count(migration_failure) as failed from sandboxes
    where migration_target is not null and ${open()}`)
  return row!
}
