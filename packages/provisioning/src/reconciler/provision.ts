import { Problem, progressSteps, type SeedConfig, type SeedResult } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import { type Database, isDenied, isUnavailable, type Migration, type Tx } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { activeSpan, errorType, inSpan } from '@storey/kit/tracing'
import type { Directory } from '../features/accounts/index.ts'
import { countAttempt, type SandboxRow, setFailed, setProgress, setReady } from '../features/sandboxes/index.ts'
import { DatabaseUnavailable, RuntimeUnavailable, SeedError, SeedKilled, type StackRuntime } from '../stacks/index.ts'
import {
  CreateRightsMissing,
  DatabaseInUse,
  ServerUnavailable,
  setServer,
  type TenantServers,
  type Tenants,
} from '../tenants/index.ts'
import { errorFields } from './failure-log.ts'
import { checkWorkLock } from './work-lock.store.ts'

export interface ProvisionDeps {
  control: Database
  servers: Pick<TenantServers, 'of' | 'verify' | 'place' | 'avoid'>
  migrations: readonly Migration[]
  runtime: StackRuntime
  stopStack(sandboxId: string): Promise<void>
  log: Log
  stackLog: Pick<SeedConfig, 'logLevel' | 'logForm'>
  directory: Directory | undefined
  /** The key by which the processes of a sandbox recognize the control plane. */
  internalKeyOf?(sandboxId: string): string
  observer?: CreationObserver | undefined
}

/** Is notified when the creation or reset of a sandbox has succeeded or failed, for metrics. */
export interface CreationObserver {
  sandboxCreated?(sandboxId: string, tookMs: number): void
  sandboxFailed?(sandboxId: string): void
}

const MAX_ATTEMPTS = 3
const INTERRUPTED = `Provisioning was interrupted ${MAX_ATTEMPTS} times`
const PROGRESS_EVERY_MS = 200
/** The step of a sandbox that waits until other sessions have left its database, or the template database. */
const IN_USE = progressSteps.format('databaseInUse', {})
/** The progress in percent at which the database is created. */
const CREATE_BEGINS_AT = 2
/** The progress in percent at which seeding starts. */
const SEED_BEGINS_AT = 10

/**
 * Creates the sandbox, whatever parts of it exist already. So this function can run again after a crash at any point,
 * and a reset uses it too.
 *
 * `lock` is the session with the lock on the sandbox. The status ready or failed is written through this session. If
 * the lock was lost, the status is not written, because another process may work on the sandbox then.
 */
export async function provision(deps: ProvisionDeps, row: SandboxRow, signal: AbortSignal, lock: Tx): Promise<void> {
  const { control, log, directory, servers } = deps
  const serverId = await serverFor(deps, row)
  const tenants = servers.of(serverId)
  const kept = await findExisting(deps, tenants, row)
  if (!kept && row.attempts >= MAX_ATTEMPTS) {
    return await fail(deps, tenants, row, INTERRUPTED, lock)
  }
  await countAttempt(control, row.id, 1)
  const startedAt = elapsedMs()
  try {
    const result = kept ?? (await createDatabase(deps, tenants, row, signal, lock))
    await directory?.openTenant({ tenantId: row.tenantId, slug: row.slug })
    // The schema version of an existing database is unknown. If it is not the newest version, the stack reports that
    // when it starts.
    await setReady(lock, row.id, result, kept ? null : deps.migrations.length)
    const tookMs = Math.round(elapsedMs() - startedAt)
    log.info({ sandboxId: row.id, slug: row.slug, tookMs }, 'sandbox ready')
    if (!kept) deps.observer?.sandboxCreated?.(row.id, tookMs)
  } catch (err) {
    // A removal, the expiry, a shutdown or the loss of the lock aborted this attempt, so it does not count.
    if (signal.aborted) return await countAttempt(control, row.id, -1)
    // The error may be an effect of what another process does with the sandbox, so this process must not drop anything.
    await checkWorkLock(lock)
    // The API server of Kubernetes or the database server does not answer, or another control database uses the
    // database server. This attempt does not count, and the reconciler tries again until the cause is gone.
    if ((err instanceof RuntimeUnavailable || err instanceof ServerUnavailable) && !kept) {
      await countAttempt(control, row.id, -1)
      throw err
    }
    if (err instanceof DatabaseInUse && !kept) {
      await countAttempt(control, row.id, -1)
      await setProgress(control, row.id, CREATE_BEGINS_AT, IN_USE)
      throw err
    }
    // After an interruption the sandbox is provisioned again, up to MAX_ATTEMPTS times in all. If its database is
    // already complete for this request, the database is never dropped, and there is no such limit.
    const interruption = interruptionOf(err)
    if (kept || (interruption && (await mayRepeat(deps, tenants, row)))) {
      if (!kept && servers.avoid(serverId)) await setServer(control, row.id, null)
      throw err
    }
    log.error({ ...errorFields(err), sandboxId: row.id }, 'provisioning failed')
    activeSpan()?.fail(errorType(err))
    const reason = interruption && `${INTERRUPTED}: ${interruption}`
    const isExplained = err instanceof SeedError || err instanceof CreateRightsMissing
    await fail(
      deps,
      tenants,
      row,
      reason ??
        (isExplained ? err.message : 'Internal error. The operator can find the cause in the log of the service'),
      lock,
    )
  }
}

/**
 * Returns the server for the database. A reset keeps the server of the sandbox. If that server is unavailable, another
 * server is chosen, and what the sandbox has on the unavailable server becomes a leftover.
 */
async function serverFor({ servers, log }: ProvisionDeps, row: SandboxRow): Promise<string> {
  if (row.serverId !== null && (await servers.verify(row.serverId))) return row.serverId
  const serverId = await servers.place(row.id)
  if (row.serverId !== null)
    log.warn({ sandboxId: row.id, from: row.serverId, to: serverId }, 'sandbox placed on another database server')
  return serverId
}

/**
 * Finds a complete database of this request, or of a later one. Such a database exists if the service ended before it
 * updated the row, or if the row comes from a backup that is older than the database.
 */
async function findExisting(
  { log }: ProvisionDeps,
  tenants: Tenants,
  row: SandboxRow,
): Promise<SeedResult | undefined> {
  const metadata = await tenants.metadataOf(row.id)
  if (metadata?.result === undefined || metadata.requestedAt === undefined || metadata.requestedAt < row.requestedAt)
    return undefined
  log.warn({ sandboxId: row.id, requestedAt: metadata.requestedAt }, 'sandbox database already complete, keeping it')
  return metadata.result
}

/** Whether another attempt is allowed. After the last attempt, only a sandbox with a complete database gets another. */
const mayRepeat = async (deps: ProvisionDeps, tenants: Tenants, row: SandboxRow): Promise<boolean> =>
  row.attempts + 1 < MAX_ATTEMPTS || (await findExisting(deps, tenants, row)) !== undefined

/** What interrupted the attempt, for the sandbox's owner; undefined when the attempt itself failed. */
function interruptionOf(err: unknown): string | undefined {
  if (err instanceof SeedKilled) return err.reason
  if (isDenied(err)) return undefined
  if (err instanceof DatabaseUnavailable || isUnavailable(err)) return 'the database was unavailable or full'
  return err instanceof Problem && err.code === 'NOT_READY' ? 'the identity provider was unreachable' : undefined
}

async function createDatabase(
  deps: ProvisionDeps,
  tenants: Tenants,
  row: SandboxRow,
  signal: AbortSignal,
  lock: Tx,
): Promise<SeedResult> {
  const { control, runtime } = deps
  if (row.progressStep !== IN_USE) {
    await setProgress(control, row.id, CREATE_BEGINS_AT, progressSteps.format('creating', {}))
  }
  await deps.stopStack(row.id)
  await checkWorkLock(lock)
  if (row.keepsDatabase) await tenants.setAside(row.id)
  await tenants.create(row.id, row.requestedAt)
  signal.throwIfAborted()
  await setProgress(control, row.id, SEED_BEGINS_AT, progressSteps.format('starting', {}))
  const seeding = () => runtime.seed(seedConfig(deps, tenants, row), reporter(deps, row, signal), signal)
  const result = await inSpan({ name: 'seed building' }, seeding)
  signal.throwIfAborted()
  await tenants.recordSeeded(row, result)
  return result
}

function seedConfig({ stackLog, internalKeyOf }: ProvisionDeps, tenants: Tenants, row: SandboxRow): SeedConfig {
  return {
    ...stackLog,
    sandboxId: row.id,
    ...(internalKeyOf ? { internalKey: internalKeyOf(row.id) } : {}),
    organizationId: row.tenantId,
    databaseUrl: tenants.url(row.id),
    building: row.building,
    telemetryDays: row.telemetryDays,
    until: row.requestedAt.toISOString(),
  }
}

/** Writes progress at most every 200 ms, in order. */
function reporter({ control, log }: ProvisionDeps, row: SandboxRow, signal: AbortSignal) {
  let nextAt = 0
  let writing = Promise.resolve()
  return (percent: number, step: string) => {
    if (elapsedMs() < nextAt || signal.aborted) return
    nextAt = elapsedMs() + PROGRESS_EVERY_MS
    const overall = Math.round(SEED_BEGINS_AT + (percent * (99 - SEED_BEGINS_AT)) / 100)
    writing = writing
      .then(async () => void (await setProgress(control, row.id, overall, step)))
      .catch((err) => log.debug({ err }, 'could not save progress'))
  }
}

/**
 * Marks the sandbox as failed, and drops its database, role and files. The sweep drops a database and role whose drop
 * PostgreSQL refuses now.
 */
async function fail(deps: ProvisionDeps, tenants: Tenants, row: SandboxRow, reason: string, lock: Tx): Promise<void> {
  const { runtime } = deps
  await checkWorkLock(lock)
  await tenants.drop(row.id).catch((err) => {
    const isRefused = isDenied(err) || err instanceof CreateRightsMissing || err instanceof DatabaseInUse
    if (!isRefused) throw err
  })
  await runtime.removeFiles(row.id)
  await setFailed(lock, row.id, reason)
  deps.observer?.sandboxFailed?.(row.id)
}
