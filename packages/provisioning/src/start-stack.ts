import { Problem, problems } from '@storey/contract'
import type { Database, Tx } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { deriveSecret } from '@storey/kit/secrets'
import type { TokenSigner } from '@storey/kit/tokens'
import type { Addresses } from './addresses.ts'
import type { ControlPlaneConfig, ControlPlaneParts } from './control-plane.ts'
import { listRevoked } from './features/accounts/index.ts'
import {
  DATABASE_MISSING,
  findAny,
  markBehindOne,
  refuseMigrating,
  refuseSuspended,
  refuseSwitching,
  type SandboxRow,
  SCHEMA_AHEAD,
  setStorage,
} from './features/sandboxes/index.ts'
import { findLostDatabase } from './reconciler/index.ts'
import { beginRun, type OnReplica, SchemaMismatch, type StackPoolOptions, type StackRuntime } from './stacks/index.ts'
import { CONTROL_SERVER, isVerified, type TenantServers, type Tenants, unusableReason } from './tenants/index.ts'

export interface StackStartOptions {
  control: Database
  runtime: StackRuntime
  clock: ControlPlaneParts['clock']
  log: Log
  config: Pick<ControlPlaneConfig, 'stack' | 'masterSecret'>
  addresses: Addresses
  signer: TokenSigner
  servers: TenantServers
  internalKeyOf(sandboxId: string): string
  /** Changes with each start of the control plane. */
  serviceRun: string
  /** The number of tenant migrations. */
  schemaVersion: number
  /** Throws if this control plane does not lead. Called in the transaction that changes rows. */
  fence?(tx: Tx): Promise<void>
  prioritizeMigration(sandboxId: string): void
  onChange(slug: string): void
}

const SERVER_UNAVAILABLE = 'The database server of the sandbox is unavailable'
const DATABASE_UNAVAILABLE = 'The database of the sandbox is unavailable'
const MOVED = 'The sandbox was moved to another database server'

/** Starts the stack of a sandbox with its settings, if the sandbox and its database are ready for it. */
export function createStackStart(options: StackStartOptions): StackPoolOptions['start'] {
  const { control, runtime, clock, log, config, addresses, signer, servers, prioritizeMigration } = options
  const issuer = config.stack.sandboxesIssuer
  /** The last logged reason for not using the database of a sandbox, by sandbox id. */
  const unusable = new Map<string, string>()

  const start: StackPoolOptions['start'] = async ({ id: sandboxId, serverId }, onDue, databaseConnections) => {
    const now = clock.now()
    const row = await findAny(control, sandboxId)
    if (!row || row.removingAt || row.expiredAt || row.status !== 'ready') {
      throw problems.notReady('The sandbox is not ready', 2)
    }
    refuseSuspended(row)
    if (row.migrationTarget !== null) prioritizeMigration(sandboxId)
    refuseMigrating(row)
    refuseSwitching(row)
    const tenants = tenantsFor(row, serverId)
    const [revoked, metadata] = await Promise.all([
      issuer === null ? [] : listRevoked(control, sandboxId, now),
      tenants.metadataOf(sandboxId),
      beginRun(control, sandboxId, now),
      tenants.ensureRole(sandboxId),
    ])
    const isMissingOrVerified = metadata === undefined || isVerified(metadata, row)
    const reason = isMissingOrVerified ? undefined : await unusableReason({ tenants, log }, row)
    if (reason !== undefined) {
      if (unusable.get(sandboxId) !== reason) log.warn({ sandboxId, reason }, 'sandbox database not used')
      unusable.set(sandboxId, reason)
      throw problems.notReady(reason, 10)
    }
    unusable.delete(sandboxId)
    const serveConfig = {
      ...config.stack,
      databaseConnections,
      sandboxId,
      organizationId: row.tenantId,
      databaseUrl: tenants.url(sandboxId),
      apiUrl: addresses.sandboxUrl(row.slug),
      pathUrl: addresses.pathUrl(row.slug),
      token: { issuer: signer.issuer, publicKey: { ...signer.publicKey } },
      internalKey: options.internalKeyOf(sandboxId),
      ...(runtime.isShared ? { isShared: true } : { serviceRun: options.serviceRun }),
      ...(clock.anchor ? { clockAnchor: clock.anchor() } : {}),
      sealKey: deriveSecret(config.masterSecret, `stack-seal:${sandboxId}`).toString('hex'),
      revoked: revoked.map(({ subject, revokedAt }) => ({ issuer: issuer!, subject, at: revokedAt.toISOString() })),
    }
    const onStorage = (bytes: number) => {
      setStorage(control, sandboxId, bytes).catch((err) =>
        log.debug({ err, sandboxId }, 'could not record sandbox storage'),
      )
    }
    const running = await runtime
      .start(serveConfig, onDue, onStorage, (send) => sendRevoked(sandboxId, send))
      .catch(async (err) => {
        if (!(err instanceof SchemaMismatch)) throw err
        // A migration is scheduled even if the database is newer than this program. The migration attempt then records
        // that the database is newer, and the stack is not started again. If another control plane leads by now,
        // `fence` throws, because that one schedules the migrations, perhaps to another version.
        await control.transaction(async (tx) => {
          await options.fence?.(tx)
          await markBehindOne(tx, sandboxId, { from: err.version, to: options.schemaVersion })
        })
        prioritizeMigration(sandboxId)
        if (err.state === 'ahead') throw problems.notReady(SCHEMA_AHEAD, 60)
        throw problems.notReady('The database of the sandbox is being migrated to a newer schema version', 5)
      })
    return running
  }

  /**
   * Sends all revocations to a process of the stack, before the process gets its first request. The process may not
   * know some of them: its configuration may be older, or another control plane may have revoked a token meanwhile.
   */
  async function sendRevoked(sandboxId: string, send: Parameters<OnReplica>[0]): Promise<void> {
    const revoked = issuer === null ? [] : await listRevoked(control, sandboxId, clock.now())
    for (const { subject, revokedAt } of revoked)
      await send({ type: 'revoked', issuer: issuer!, subject, at: revokedAt.toISOString() })
    await send({ type: 'people' })
  }

  /** `counted`: the database server for which the pool has counted the stack's PostgreSQL connections. */
  function tenantsFor(row: SandboxRow, counted: string | null | undefined): Tenants {
    if (row.serverId === null) throw problems.notReady('The sandbox is not ready', 2)
    if (row.serverId !== (counted ?? CONTROL_SERVER)) throw problems.notReady(MOVED, 1)
    if (!servers.isUp(row.serverId)) throw problems.notReady(SERVER_UNAVAILABLE, 5)
    return servers.of(row.serverId)
  }

  return (sandbox, ...rest) =>
    start(sandbox, ...rest).catch(async (err) => {
      if (err instanceof Problem) throw err
      const deps = { control, servers, log, onChange: options.onChange }
      const lost = await findLostDatabase(deps, sandbox.id).catch(() => undefined)
      if (lost === 'elsewhere') throw problems.notReady(MOVED, 1)
      if (lost === 'uncertain') throw problems.notReady(DATABASE_UNAVAILABLE, 5)
      throw lost === 'missing' ? problems.notReady(DATABASE_MISSING, 60) : err
    })
}
