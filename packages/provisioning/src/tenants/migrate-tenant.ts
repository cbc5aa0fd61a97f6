import {
  type Database,
  type Migration,
  type MigrationStep,
  migrate,
  openDatabase,
  readVersion,
  TIME_LIMITS,
} from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { isLoginRefused } from './refusals.ts'
import * as store from './tenants.store.ts'
import type { Tenants } from './tenants.ts'

export interface MigrateTenantDeps {
  /** The tenants of the server that has the database. */
  tenants: Pick<Tenants, 'url' | 'ensureRole' | 'endSession' | 'checkOwned'>
  migrations: readonly Migration[]
  log: Log
}

/**
 * Migrates a tenant database to the newest schema, with the role of the database. Each migration is a transaction, so
 * an interruption leaves the database at one version or the next.
 */
export async function migrateTenant(
  deps: MigrateTenantDeps,
  sandboxId: string,
  on: { version(from: number): Promise<void>; step(step: MigrationStep): Promise<void> },
  signal: AbortSignal,
): Promise<void> {
  await deps.tenants.checkOwned()
  await withTenant(deps, sandboxId, async (database) => {
    await database.session(async (session) => {
      const pid = await store.watchClient(session)
      const giveUp = () => void deps.tenants.endSession(sandboxId, pid).catch(() => undefined)
      signal.addEventListener('abort', giveUp)
      try {
        signal.throwIfAborted()
        await on.version(await readVersion(session))
        await migrate(session, deps.migrations, { log: deps.log, onStep: on.step })
      } finally {
        signal.removeEventListener('abort', giveUp)
      }
    })
  })
}

/** The schema version of a tenant database. */
export async function tenantVersion(deps: MigrateTenantDeps, sandboxId: string): Promise<number> {
  return await withTenant(deps, sandboxId, versionIn)
}

/**
 * Like `tenantVersion`, but does not set the password of the role: the role must have the password derived from the
 * master secret.
 */
export async function readTenantVersion(
  deps: Pick<MigrateTenantDeps, 'log'> & { tenants: Pick<Tenants, 'url' | 'metadataOf'> },
  sandboxId: string,
): Promise<number> {
  // PostgreSQL reports a wrong password for a role that does not exist, even if the database is missing too, so the
  // database is checked first.
  if ((await deps.tenants.metadataOf(sandboxId)) === undefined) throw new Error('the database does not exist')
  try {
    return await openTenant(deps, sandboxId, versionIn)
  } catch (cause) {
    if (!isLoginRefused(cause)) throw cause
    const { message } = cause as Error
    throw new Error(
      `${message}: check MASTER_SECRET; if it is right, run operator migrate: it sets the password of this role`,
      {
        cause,
      },
    )
  }
}

const versionIn = (database: Database) => database.session((session) => readVersion(session))

/** Opens a tenant database with the role of the database, and sets the password of that role first. */
export async function withTenant<T>(
  deps: Pick<MigrateTenantDeps, 'tenants' | 'log'>,
  sandboxId: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  await deps.tenants.ensureRole(sandboxId)
  return await openTenant(deps, sandboxId, work)
}

async function openTenant<T>(
  { tenants, log }: { tenants: Pick<Tenants, 'url'>; log: Log },
  sandboxId: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const url = tenants.url(sandboxId)
  const database = openDatabase({
    ...{ url, log, applicationName: `migrate ${sandboxId}`, maxConnections: 1 },
    limits: TIME_LIMITS.migration,
  })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
