import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { DATABASE_MISSING, findAny, type OwnedRow, setFound, setMissing } from '../features/sandboxes/index.ts'
import { type TenantMetadata, type TenantServers, unusableReason } from '../tenants/index.ts'
import type { Inventory } from './inventory.ts'
import type { Attempt } from './sweep-failures.ts'

export interface MissingDatabaseDeps {
  control: Database
  servers: Pick<TenantServers, 'of' | 'present' | 'list' | 'verify'>
  log: Log
  /** Called when the state of a sandbox changed. */
  onChange(slug: string): void
  /** Absent if the caller is starting the stack, which then does not run yet. */
  stopStack?(sandboxId: string): Promise<void>
}

const UNCERTAIN = 'sandbox database not on its server, unclear whether another server has it'

/**
 * The outcome for a sandbox whose database is not on its server. `elsewhere`: the sandbox now uses its database on
 * another server. `missing`: the sandbox is marked as failed. `uncertain`: nothing is changed, because the database may
 * be on a server that does not answer, several servers have one, or the only one that was found cannot be used.
 */
export type LostDatabase = 'elsewhere' | 'missing' | 'uncertain'

/**
 * Looks for the database of a ready sandbox on the other servers, if the server of the sandbox does not have it. That
 * happens, for example, if the control database is restored from a backup that is older than a move or the removal of
 * the sandbox. Returns undefined if the server of the sandbox has the database, or if the sandbox is not ready or
 * changes meanwhile.
 */
export async function findLostDatabase(deps: MissingDatabaseDeps, id: string): Promise<LostDatabase | undefined> {
  const { control, servers, log, onChange } = deps
  const row = await findAny(control, id)
  if (row?.status !== 'ready' || row.serverId === null) return undefined
  if ((await servers.of(row.serverId).metadataOf(id)) !== undefined) return undefined
  const others = await serversWith(row, async (serverId) => await servers.of(serverId).metadataOf(id), servers)
  const isKnown = (await servers.verify(row.serverId)) && servers.list().every(({ isUp }) => isUp)
  if (others.length > 1 || !isKnown) return 'uncertain'
  if (others.length === 1) return OUTCOMES[await useDatabaseOn(deps, row, others[0]!)]
  if (!(await setMissing(control, row))) return undefined
  log.error({ sandboxId: id, slug: row.slug }, 'sandbox database missing, reset or delete the sandbox')
  onChange(row.slug)
  return 'missing'
}

const OUTCOMES = { used: 'elsewhere', changed: undefined, unusable: 'uncertain' } as const

/** Other servers that have a complete database of this sandbox, created for the same request. */
async function serversWith(
  { serverId: own, requestedAt }: Pick<OwnedRow, 'serverId' | 'requestedAt'>,
  metadataOn: (serverId: string) => Promise<TenantMetadata | undefined>,
  servers: Pick<TenantServers, 'present'>,
): Promise<string[]> {
  const found: string[] = []
  for (const { id } of servers.present()) {
    const metadata = id === own ? undefined : await metadataOn(id)
    const isSame = metadata?.requestedAt?.getTime() === requestedAt.getTime()
    if (isSame && metadata?.result !== undefined) found.push(id)
  }
  return found
}

/**
 * Makes a sandbox ready with its database on this server, unless the sandbox changes meanwhile or the database
 * cannot be used.
 */
async function useDatabaseOn(
  { control, servers, log, onChange, stopStack }: MissingDatabaseDeps,
  row: OwnedRow,
  serverId: string,
): Promise<'used' | 'changed' | 'unusable'> {
  const tenants = servers.of(serverId)
  const fields = { sandboxId: row.id, slug: row.slug }
  await tenants.ensureRole(row.id)
  const reason = await unusableReason({ tenants, log }, row)
  if (reason !== undefined) {
    log.warn({ ...fields, server: serverId, reason }, 'sandbox database not used')
    return 'unusable'
  }
  if (!(await setFound(control, row, serverId))) return 'changed'
  if (serverId === row.serverId) log.warn(fields, 'sandbox database found again, sandbox ready')
  else log.warn({ ...fields, from: row.serverId, to: serverId }, 'sandbox database found on another server, used there')
  onChange(row.slug)
  // A stack that still runs uses the database that is gone.
  if (serverId !== row.serverId) await stopStack?.(row.id)
  return 'used'
}

/**
 * Checks, on the servers that answer, whether the databases of ready sandboxes exist. A sandbox that failed because its
 * database was missing becomes ready again if the database was restored, or is found on another server.
 */
export async function checkDatabases(
  deps: MissingDatabaseDeps,
  { servers: present, rows }: Inventory,
  attempt: Attempt,
): Promise<void> {
  const metadataOn = (serverId: string, id: string): TenantMetadata | undefined => {
    const found = present.get(serverId)?.databases.get(id)
    return found?.isHalfDropped ? undefined : found
  }
  for (const row of rows.values()) {
    const { id, serverId, status, failureReason, requestedAt, expiredAt, removingAt } = row
    if (expiredAt || removingAt || (serverId !== null && !present.has(serverId))) continue
    const metadata = serverId === null ? undefined : metadataOn(serverId, id)
    if (status === 'ready' && metadata === undefined)
      await attempt(id, 'find lost database', async () => {
        if ((await findLostDatabase(deps, id)) === 'uncertain')
          deps.log.warn({ sandboxId: id, server: serverId }, UNCERTAIN)
      })
    if (status !== 'failed' || failureReason !== DATABASE_MISSING) continue
    const isOwn = metadata && (metadata.requestedAt ?? requestedAt).getTime() === requestedAt.getTime()
    const others = isOwn ? [] : await serversWith(row, async (other) => metadataOn(other, id), deps.servers)
    const foundOn = isOwn ? serverId! : others.length === 1 ? others[0] : undefined
    if (foundOn !== undefined)
      await attempt(id, 'use found database', async () => void (await useDatabaseOn(deps, row, foundOn)))
  }
}
