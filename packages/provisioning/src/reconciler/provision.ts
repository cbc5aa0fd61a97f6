import { progressSteps, type SeedConfig, type SeedResult } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import { type Database, isUnavailable, type Migration } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import type { Directory } from '../features/accounts/index.ts'
import { countAttempt, type SandboxRow, setFailed, setProgress, setReady } from '../features/sandboxes/index.ts'
import { DatabaseUnavailable, SeedError, type StackRuntime } from '../stacks/index.ts'
import type { Tenants } from '../tenants/index.ts'

export interface ProvisionDeps {
  control: Database
  tenants: Tenants
  migrations: readonly Migration[]
  runtime: StackRuntime
  stopStack(sandboxId: string): Promise<void>
  log: Log
  stackLog: Pick<SeedConfig, 'logLevel' | 'logForm'>
  directory: Directory | undefined
}

const MAX_ATTEMPTS = 3
const PROGRESS_EVERY_MS = 200
/** The share of the whole that is done before the stack begins to seed. */
const SEED_BEGINS_AT = 10

/**
 * Makes the sandbox from whatever was there before, so that it can be taken up again after a crash at any instant,
 * and serves for a reset as well.
 */
export async function provision(deps: ProvisionDeps, row: SandboxRow, signal: AbortSignal): Promise<void> {
  const { control, log, directory } = deps
  const kept = await findExisting(deps, row)
  if (!kept && row.attempts >= MAX_ATTEMPTS) {
    return await fail(deps, row, `Provisioning was interrupted ${MAX_ATTEMPTS} times`)
  }
  await countAttempt(control, row.id, 1)
  const startedAt = elapsedMs()
  try {
    const result = kept ?? (await make(deps, row, signal))
    await directory?.openTenant({ tenantId: row.tenantId, slug: row.slug })
    // One that was kept may be behind: its stack tells.
    await setReady(control, row.id, result, kept ? null : deps.migrations.length)
    log.info({ sandboxId: row.id, slug: row.slug, tookMs: Math.round(elapsedMs() - startedAt) }, 'sandbox ready')
  } catch (err) {
    // Told to stop: whoever comes next, a removal or the next start of the service, finds it as it should be.
    if (signal.aborted) return await countAttempt(control, row.id, -1)
    // Nothing is wrong with the sandbox: it is made anew, as after a crash. What is whole is never dropped.
    if (kept || err instanceof DatabaseUnavailable || isUnavailable(err)) throw err
    log.error({ err, sandboxId: row.id }, 'provisioning failed')
    await fail(deps, row, err instanceof SeedError ? err.message : 'The database could not be made')
  }
}

/**
 * The building that was asked for, or a later one, is there and whole: the service ended before it could say so, or the
 * row comes from a backup that is older than the building.
 */
async function findExisting({ tenants, log }: ProvisionDeps, row: SandboxRow): Promise<SeedResult | undefined> {
  const metadata = await tenants.metadataOf(row.id)
  if (metadata?.result === undefined || metadata.requestedAt === undefined || metadata.requestedAt < row.requestedAt)
    return undefined
  log.warn({ sandboxId: row.id, requestedAt: metadata.requestedAt }, 'database of a sandbox is complete, kept as it is')
  return metadata.result
}

async function make(deps: ProvisionDeps, row: SandboxRow, signal: AbortSignal): Promise<SeedResult> {
  const { control, tenants, runtime } = deps
  await setProgress(control, row.id, 2, 'Creating the database')
  await deps.stopStack(row.id)
  await tenants.create(row.id, row.requestedAt)
  signal.throwIfAborted()
  await setProgress(control, row.id, SEED_BEGINS_AT, progressSteps.say('starting', {}))
  const result = await runtime.seed(seedConfig(deps, row), reporter(deps, row, signal), signal)
  signal.throwIfAborted()
  await tenants.recordSeeded(row.id, row.requestedAt, result)
  return result
}

function seedConfig({ tenants, stackLog }: ProvisionDeps, row: SandboxRow): SeedConfig {
  return {
    ...stackLog,
    sandboxId: row.id,
    organizationId: row.tenantId,
    databaseUrl: tenants.url(row.id),
    building: row.building,
    telemetryDays: row.telemetryDays,
    until: row.requestedAt.toISOString(),
  }
}

/** Writes progress now and then, not at every step, and never behind a later one. */
function reporter({ control, log }: ProvisionDeps, row: SandboxRow, signal: AbortSignal) {
  let nextAt = 0
  let writing = Promise.resolve()
  return (percent: number, step: string) => {
    if (elapsedMs() < nextAt || signal.aborted) return
    nextAt = elapsedMs() + PROGRESS_EVERY_MS
    const overall = Math.round(SEED_BEGINS_AT + (percent * (99 - SEED_BEGINS_AT)) / 100)
    writing = writing
      .then(async () => void (await setProgress(control, row.id, overall, step)))
      .catch((err) => log.debug({ err }, 'progress was not written'))
  }
}

async function fail({ control, tenants, runtime }: ProvisionDeps, row: SandboxRow, reason: string): Promise<void> {
  await tenants.drop(row.id)
  await runtime.removeFiles(row.id)
  await setFailed(control, row.id, reason)
}
