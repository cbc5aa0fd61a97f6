/** The parts of this package that operator commands need, without the service, so that a command starts fast. */

import { type AuditQuery, problems } from '@storey/contract'
import { type Database, isDenied } from '@storey/kit/database'
import { type AuditPage, listAudit, recordChange } from './features/audit/index.ts'
import * as keys from './features/keys/index.ts'
import { installationTag } from './installation.store.ts'
import * as leftovers from './reconciler/index.ts'
import { createStackFolders } from './stacks/index.ts'
import {
  listDraining,
  openTenantServers,
  readLoads,
  refuseForeign,
  type ServerState,
  type TenantServers,
} from './tenants/index.ts'

export {
  countDeadLetters,
  type DeadLetterKey,
  deleteDeadLetter,
  findDeadLetter,
  listDeadLetters,
  listDeleted,
  requestResend,
} from './features/dead-letters/index.ts'
export * from './features/operator/index.ts'
export { createOrganizations } from './features/organizations/index.ts'
export {
  DATABASE_MISSING,
  findAny as findSandbox,
  findByName,
  listAny as listSandboxes,
  listMissing,
  readSlugs,
  restoreSandbox,
} from './features/sandboxes/index.ts'
export { CONTROL_MIGRATIONS } from './migrations.ts'
export { type Adopted, adoptDatabase, type Moved, moveSandbox } from './move/index.ts'
export { type DueMigration, type Migrated, migrateAll, migrationsDue } from './operator-migrate.ts'
export { CONTROL_SERVER, refuseForeign, type ServerState, type TenantServers } from './tenants/index.ts'

export function revokeKeyByOperator(
  deps: Omit<keys.KeyDeps, 'recordChange'>,
  name: string,
  record: Parameters<typeof keys.revokeKeyByOperator>[2],
) {
  return keys.revokeKeyByOperator({ ...deps, recordChange }, name, record)
}

export function mintOperatorKey(deps: Omit<keys.OperatorMintDeps, 'recordChange'>, mint: keys.OperatorMint) {
  return keys.mintOperatorKey({ ...deps, recordChange }, mint)
}

/** Lists audit rows, newest first. If `organizationId` is null, lists attempts with unknown keys. */
export function operatorAudit(
  control: Database,
  organizationId: string | null,
  query: AuditQuery = {},
): Promise<AuditPage> {
  return listAudit(control, organizationId, query)
}

/** Opens the database servers of the sandboxes, for an operator command. */
export async function openServers(
  options: Omit<Parameters<typeof openTenantServers>[0], 'installationTag' | 'prepare'>,
): Promise<TenantServers> {
  return await openTenantServers({ ...options, installationTag: await installationTag(options.control, options) })
}

/** How many connections are open to the databases of sandboxes, by sandbox. */
export async function openConnections(servers: TenantServers): Promise<ReadonlyMap<string, number>> {
  const counts = await Promise.all(servers.present().map(({ tenants }) => tenants.connections()))
  return new Map(counts.flatMap((count) => [...count]))
}

export interface ListedServer extends ServerState {
  sandboxes: number
  bytes: number
  awake: number
}

/** The servers with their load. */
export async function listServers(control: Database, servers: TenantServers): Promise<ListedServer[]> {
  const [loads, draining] = [await readLoads(control), await listDraining(control)]
  return servers.list().map((server) => ({
    ...server,
    takesNew: server.takesNew && !draining.has(server.id ?? ''),
    ...((server.id === undefined ? undefined : loads.get(server.id)) ?? { sandboxes: 0, bytes: 0, awake: 0 }),
  }))
}

export interface ListedLeftover extends leftovers.Leftover {
  /** Null if the role of the service may not read the size, because another role restored the database. */
  databaseBytes: number | null
  /** When the service drops the leftover. Null: at the next sweep, or never if the leftover is needed. */
  dropAt: Date | null
}

/** Lists databases, roles and folders that no sandbox uses. */
export async function listLeftovers(
  control: Database,
  servers: TenantServers,
  stacksFolder: string,
): Promise<ListedLeftover[]> {
  const found = await leftovers.findLeftovers(leftoverDeps(control, servers, stacksFolder))
  return await Promise.all(
    found.map(async (leftover) => ({
      ...leftover,
      databaseBytes: await bytesOf(servers, leftover),
      dropAt:
        leftover.isUnneeded || leftover.isNeeded
          ? null
          : new Date((leftover.firstSeenAt ?? new Date()).getTime() + leftovers.QUARANTINE_MS),
    })),
  )
}

async function bytesOf(servers: TenantServers, { id, serverId }: leftovers.Leftover): Promise<number | null> {
  try {
    return await servers.of(serverId).bytesOf(id)
  } catch (err) {
    if (!isDenied(err)) throw err
    return null
  }
}

/** Lists sandboxes under whose database name there is the database of another sandbox, because somebody renamed it. */
export const listForeign = (
  control: Database,
  servers: TenantServers,
  stacksFolder: string,
): Promise<leftovers.ForeignDatabase[]> => leftovers.findForeign(leftoverDeps(control, servers, stacksFolder))

/** Lists the names of databases that were set aside (renamed) instead of dropped. */
export async function listSetAside(servers: TenantServers): Promise<string[]> {
  return (await Promise.all(servers.present().map(({ tenants }) => tenants.listSetAside()))).flat()
}

/** Why a database has the name of another sandbox's database, and what the operator has to do. */
export const RENAME_BACK = 'somebody has renamed it, so rename it back'

/** Drops the leftovers of a sandbox now. If its database is on several servers, `serverId` must name one of them. */
export async function dropLeftover(
  control: Database,
  servers: TenantServers,
  stacksFolder: string,
  id: string,
  serverId?: string,
): Promise<leftovers.Leftover[]> {
  const deps = leftoverDeps(control, servers, stacksFolder)
  const found = (await leftovers.findLeftovers(deps)).filter(
    (leftover) => leftover.id === id && (serverId ?? leftover.serverId) === leftover.serverId,
  )
  if (found.length === 0) throw problems.notFound('leftover')
  await refuseForeign(servers, ...found.map((leftover) => leftover.serverId))
  const withDatabase = found.filter(({ kinds }) => kinds.includes('database')).map((leftover) => leftover.serverId)
  if (withDatabase.length > 1)
    throw problems.conflict('from', `Several servers have a database of ${id}: name one of ${withDatabase.join(', ')}`)
  const needed = found.find(({ isNeeded }) => isNeeded)
  if (needed?.ofSandbox)
    throw problems.conflict('id', `The database on ${needed.serverId} belongs to ${needed.ofSandbox}: ${RENAME_BACK}`)
  if (needed)
    throw problems.conflict(
      'id',
      `The database on ${needed.serverId} may be the only one of this sandbox: use it (operator sandbox adopt), or delete the sandbox`,
    )
  const outcomes: leftovers.DroppedLeftover[] = []
  for (const leftover of found) outcomes.push(await leftovers.dropLeftover(deps, leftover))
  if (outcomes.includes('kept')) throw problems.conflict('id', 'The service is working on this sandbox: try again')
  if (!outcomes.includes('roleKept')) return found
  throw problems.conflict(
    'id',
    'The role was not dropped, because it still owns something, such as a renamed database. Everything else was dropped',
  )
}

const leftoverDeps = (control: Database, servers: TenantServers, stacksFolder: string): leftovers.LeftoverDeps => ({
  ...{ control, servers },
  runtime: createStackFolders(stacksFolder),
})
