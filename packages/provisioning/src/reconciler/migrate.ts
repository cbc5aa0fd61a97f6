import { progressSteps } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import { type Database, isDenied, isUnavailable, type Migration, SchemaAhead } from '@storey/kit/database'
import {
  postponeMigration,
  type SandboxRow,
  SCHEMA_AHEAD,
  setMigrated,
  setMigrationFailed,
  setMigrationProgress,
  setSchemaVersion,
} from '../features/sandboxes/index.ts'
import { type MigrateTenantDeps, migrateTenant, type Tenants, unusableReason } from '../tenants/index.ts'

/** The pause before the next attempt after a failure: a minute at first, an hour at most. */
const FAILED_PAUSE = { firstS: 60, maxS: 3_600 }
/** The pause after an attempt that failed because the database was unavailable. */
const UNAVAILABLE_PAUSE_S = 10

export interface MigrateDeps extends MigrateTenantDeps {
  tenants: Tenants
  control: Database
  migrations: readonly Migration[]
  stopStack(sandboxId: string): Promise<void>
}

/**
 * Migrates the database of a sandbox. Returns true when the database has the newest schema. Otherwise the row holds the
 * time of the next attempt, and the reason if the migration itself failed. An aborted attempt records neither.
 */
export async function migrateSandbox(deps: MigrateDeps, row: SandboxRow, signal: AbortSignal): Promise<boolean> {
  const { control, log, migrations } = deps
  const sandboxId = row.id
  const migration = { id: sandboxId, version: migrations.length }
  const startedAt = elapsedMs()
  const fields = { sandboxId, from: row.schemaVersion, to: migrations.length }
  try {
    await deps.stopStack(sandboxId)
    const unusable = await unusableReason(deps, row)
    if (unusable !== undefined) throw new Error(unusable)
    await migrateTenant(
      deps,
      sandboxId,
      {
        // The version in the row may be wrong for a database that was restored, or migrated by another program.
        async version(from) {
          fields.from = from
          await setSchemaVersion(control, migration, from)
        },
        async step({ done, total, name }) {
          log.info({ ...fields, step: name }, 'migrating a sandbox')
          const step = progressSteps.format('migrating', { n: done + 1, total })
          await setMigrationProgress(control, migration, Math.floor((done * 100) / total), step)
        },
      },
      signal,
    )
    await setMigrated(control, migration)
    log.info({ ...fields, tookMs: Math.round(elapsedMs() - startedAt) }, 'sandbox migrated')
    return true
  } catch (err) {
    if (signal.aborted) return false
    if (isUnavailable(err) && !isDenied(err)) {
      log.warn({ err, ...fields }, 'sandbox migration interrupted, retrying')
      await postponeMigration(control, migration, UNAVAILABLE_PAUSE_S)
      return false
    }
    if (err instanceof SchemaAhead) {
      if (row.migrationFailure !== SCHEMA_AHEAD) log.error(fields, 'sandbox database is newer than this service')
      await setMigrationFailed(control, migration, SCHEMA_AHEAD, FAILED_PAUSE)
      return false
    }
    log.error({ err, ...fields }, 'sandbox migration failed')
    await setMigrationFailed(control, migration, reasonOf(err), FAILED_PAUSE)
    return false
  }
}

/** The name of the failed migration, with PostgreSQL's error. */
function reasonOf(err: unknown): string {
  const { message, cause } = err as Error
  return (cause instanceof Error ? `${message}: ${cause.message}` : message).slice(0, 500)
}
