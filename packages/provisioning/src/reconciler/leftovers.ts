import type { Database, Tx } from '@storey/kit/database'
import { DATABASE_MISSING, findAny, type OwnedRow } from '../features/sandboxes/index.ts'
import type { StackRuntime } from '../stacks/index.ts'
import {
  CONTROL_SERVER,
  isIncomplete,
  isOfUnknownOrigin,
  mayBeNewer,
  type TenantMetadata,
  type TenantServers,
  type Tenants,
  UNKNOWN_OWNER,
} from '../tenants/index.ts'
import { type Inventory, type ServerInventory, takeInventory } from './inventory.ts'
import { deleteFromQuarantine, type LeftoverName, listQuarantine, listRemoved } from './leftovers.store.ts'
import { withWorkLock } from './work-lock.store.ts'

/**
 * A database, role or folder that no sandbox owns, or a database and role of a sandbox that uses a database on another
 * server. A folder belongs to the server of the control database.
 */
export interface Leftover extends LeftoverName {
  kinds: ('database' | 'role' | 'folder')[]
  /**
   * Whether it is certain that nobody needs the leftover. Two conditions must hold. First, the sandbox was removed, its
   * creation failed, or it uses another server. Second, the leftover has no database, or one that was never completed.
   * A complete database is never certain to be unneeded: whatever the control database shows, the database may have
   * been used since the backup from which the control database was restored. The same is true of the role of a removed
   * sandbox if it owns a database that a reset has set aside: this database is dropped with the role.
   */
  isUnneeded: boolean
  /**
   * Whether the leftover may have the only database of its sandbox, because the sandbox has none on its own server, or
   * that server does not answer. A sweep or `adoptDatabase` can make the sandbox use this database. Also true if the
   * database belongs to another sandbox. A needed database is never dropped.
   */
  isNeeded: boolean
  /** The other sandbox to which the database belongs, if somebody renamed it. */
  ofSandbox: string | null
  /** When the leftover was quarantined; null: it is not in quarantine. */
  firstSeenAt: Date | null
}

export interface LeftoverDeps {
  control: Database
  servers: Pick<TenantServers, 'present' | 'of'>
  runtime: Pick<StackRuntime, 'listFiles' | 'removeFiles'>
  /** How many sandboxes one inventory covers. */
  inventorySize?: number
  /** Throws if this control plane does not lead. */
  fence?(tx: Tx): Promise<void>
}

export const QUARANTINE_MS = 14 * 86_400_000

type Owner = Pick<OwnedRow, 'status' | 'failureReason' | 'serverId'> | undefined

/**
 * A failed sandbox owns nothing, unless it failed because its database is missing: the database may be restored, so the
 * role and the files are kept.
 */
const ownsAnything = (row: Owner): boolean =>
  row !== undefined && (row.status !== 'failed' || row.failureReason === DATABASE_MISSING)

const ownsOn = (row: Owner, serverId: string): boolean => ownsAnything(row) && row!.serverId === serverId

/**
 * See `Leftover.isUnneeded`. A row that was restored from a backup may be `failed` because of an earlier request, so a
 * database of a later request is not certain to be unneeded.
 */
function isUnneeded(row: OwnedRow | undefined, wasRemoved: boolean, metadata: TenantMetadata | undefined): boolean {
  if (!wasRemoved && row === undefined) return false
  if (metadata === undefined) return true
  // A complete database may be needed, and so may a database without metadata, because it may be a backup.
  if (!isIncomplete(metadata)) return false
  const { requestedAt } = metadata
  return row?.status !== 'failed' || requestedAt === undefined || requestedAt <= row.requestedAt
}

const mayBeOfUse = (metadata: TenantMetadata, ofRequestAt: Date): boolean =>
  isOfUnknownOrigin(metadata) || mayBeNewer(metadata, ofRequestAt)

/** `own`: the database on the server of the sandbox; `unknown` if that server does not answer. */
function isNeeded(
  row: OwnedRow | undefined,
  metadata: TenantMetadata | undefined,
  own: TenantMetadata | undefined | 'unknown',
): boolean {
  if (metadata?.ofSandbox !== undefined) return true
  if (!ownsAnything(row) || metadata === undefined || metadata.isHalfDropped) return false
  const isMissing = own === undefined || own === 'unknown' || own.isHalfDropped === true
  return isMissing && mayBeOfUse(metadata, row!.requestedAt)
}

/** Finds everything that no sandbox owns, on the servers that answer. */
export async function findLeftovers(deps: LeftoverDeps): Promise<Leftover[]> {
  const found: Leftover[] = []
  for await (const inventory of takeInventory(deps)) found.push(...(await leftoversIn(deps, inventory)))
  return await withoutGone(deps, found)
}

/**
 * Leaves out folders that no longer exist: folders are listed before everything else, and a sandbox may have been
 * removed since then.
 */
export async function withoutGone(
  { runtime }: Pick<LeftoverDeps, 'runtime'>,
  found: readonly Leftover[],
): Promise<Leftover[]> {
  if (!found.some(({ kinds }) => kinds.includes('folder'))) return [...found]
  const folders = new Set(await runtime.listFiles())
  return found
    .map((leftover) => ({
      ...leftover,
      kinds: leftover.kinds.filter((kind) => kind !== 'folder' || folders.has(leftover.id)),
    }))
    .filter(({ kinds }) => kinds.length > 0)
}

/** Finds everything in an inventory that no sandbox owns. */
export async function leftoversIn(
  { control, servers: tenantServers }: Pick<LeftoverDeps, 'control' | 'servers'>,
  { servers, folders, rows }: Inventory,
): Promise<Leftover[]> {
  const unowned = [...servers].flatMap(([serverId, present]) => unownedOn(serverId, present, folders, rows))
  if (unowned.length === 0) return []
  const ids = unowned.map(({ id }) => id)
  const removed = await listRemoved(control, ids)
  const quarantine = new Map((await listQuarantine(control, ids)).map((row) => [keyOf(row), row.firstSeenAt]))
  const leftovers: Leftover[] = []
  for (const { id, serverId, kinds } of unowned.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const row = rows.get(id)
    const found = servers.get(serverId)!.databases.get(id)
    const tenants = tenantServers.of(serverId)
    const { metadata, isOwnerUnknown } = await withOwner(tenants, id, found)
    const own =
      row?.serverId == null
        ? undefined
        : servers.has(row.serverId)
          ? servers.get(row.serverId)!.databases.get(id)
          : 'unknown'
    const mayBeUnneeded =
      isUnneeded(row, removed.has(id), metadata) && metadata?.ofSandbox === undefined && !isOwnerUnknown
    leftovers.push({
      ...{ id, serverId, kinds, isNeeded: isNeeded(row, metadata, own), ofSandbox: metadata?.ofSandbox ?? null },
      isUnneeded: mayBeUnneeded && !(row === undefined && (await tenants.hasSetAside(id))),
      firstSeenAt: quarantine.get(keyOf({ id, serverId })) ?? null,
    })
  }
  return leftovers
}

/**
 * Adds the other sandbox to which the database belongs, if there is one. A verified database is not opened. If the
 * database cannot be opened now, its owner is unknown.
 */
export async function withOwner(
  tenants: Pick<Tenants, 'otherOwnerOf'>,
  id: string,
  metadata: TenantMetadata | undefined,
): Promise<{ metadata: TenantMetadata | undefined; isOwnerUnknown: boolean }> {
  if (!metadata?.isUnverified) return { metadata, isOwnerUnknown: false }
  const ofSandbox = await tenants.otherOwnerOf(id).catch(() => UNKNOWN_OWNER)
  if (ofSandbox === UNKNOWN_OWNER) return { metadata, isOwnerUnknown: true }
  return { metadata: ofSandbox === undefined ? metadata : { ...metadata, ofSandbox }, isOwnerUnknown: false }
}

export const keyOf = ({ id, serverId }: LeftoverName): string => `${id} ${serverId}`

function unownedOn(
  serverId: string,
  { databases, roles }: ServerInventory,
  allFolders: Inventory['folders'],
  rows: Inventory['rows'],
): Pick<Leftover, 'id' | 'serverId' | 'kinds'>[] {
  // A sandbox that owns something owns its folder.
  const folders = new Set(
    serverId === CONTROL_SERVER ? [...allFolders].filter((id) => !ownsAnything(rows.get(id))) : [],
  )
  const ids = [...new Set([...databases.keys(), ...roles, ...folders])].filter((id) => !ownsOn(rows.get(id), serverId))
  return ids.map((id) => ({
    id,
    serverId,
    kinds: [
      ...(databases.has(id) ? (['database'] as const) : []),
      ...(roles.has(id) ? (['role'] as const) : []),
      ...(folders.has(id) ? (['folder'] as const) : []),
    ],
  }))
}

/**
 * The outcome of dropping a leftover. `kept`: a sandbox owns or needs the leftover, or work on that sandbox is in
 * progress. `roleKept`: only the role is left, because something belongs to the role.
 */
export type DroppedLeftover = 'dropped' | 'kept' | 'roleKept'

export async function dropLeftover(deps: LeftoverDeps, name: LeftoverName): Promise<DroppedLeftover> {
  const { control, servers, runtime, fence } = deps
  const { id, serverId } = name
  let outcome: DroppedLeftover = 'kept'
  await control.session((session) =>
    withWorkLock(session, id, async () => {
      await fence?.(session)
      const row = await findAny(control, id)
      if (ownsOn(row, serverId)) return
      const ownServer = servers.present().find((server) => server.id === row?.serverId)
      const own = row?.serverId == null ? undefined : ownServer ? await ownServer.tenants.metadataOf(id) : 'unknown'
      const tenants = servers.of(serverId)
      const { metadata } = await withOwner(tenants, id, await tenants.metadataOf(id))
      if (isNeeded(row, metadata, own)) return
      if (row === undefined) await tenants.dropSetAside(id)
      const isRoleDropped = await tenants.drop(id)
      if (serverId === CONTROL_SERVER && !ownsAnything(row)) await runtime.removeFiles(id)
      await deleteFromQuarantine(control, name)
      outcome = isRoleDropped ? 'dropped' : 'roleKept'
    }),
  )
  return outcome
}
