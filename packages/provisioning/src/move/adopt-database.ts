import { problems } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { insertOperation } from '../features/operator/index.ts'
import { DATABASE_MISSING, findAny, findByName, type SandboxRow, setFound } from '../features/sandboxes/index.ts'
import { withWorkLock } from '../reconciler/index.ts'
import { isOfUnknownOrigin, refuseForeign, type TenantServers, unusableReason } from '../tenants/index.ts'
import { beginMove, beginSwitch, completeMove, endMove, type Move } from './moves.store.ts'

export interface AdoptDeps {
  control: Database
  operator: string
  log: Log
  servers: Pick<TenantServers, 'find' | 'of' | 'refusalOf'>
  /** Stops the stack of the sandbox, if it runs. */
  stopStack(sandboxId: string): Promise<void>
}

export interface Adopted {
  row: SandboxRow
  /** The server of the database that was used before. Null if there was none. */
  before: string | null
  /** The server of the database that is used from now on. */
  from: string
}

/**
 * Makes a sandbox use the database that it has on another server. That database may be newer than the one in use, for
 * example if the control database was restored from a backup that was made before a move. Nothing is copied. The
 * database that was used before is kept, and quarantined.
 */
export async function adoptDatabase(deps: AdoptDeps, idOrSlug: string, from: string): Promise<Adopted> {
  const { control, servers } = deps
  const named = await findByName(control, idOrSlug)
  if (!named) throw problems.notFound(`sandbox: ${idOrSlug}`)
  const server = servers.find(from)
  if (server?.id === undefined) throw problems.notFound(`database server: ${from}`)
  if (!server.isUp) throw problems.conflict('from', `The database server ${from} is unavailable: ${server.reason}`)
  const serverId = server.id
  await refuseForeign(servers, serverId, named.serverId)
  let adopted: Adopted | undefined
  await control.session((session) =>
    withWorkLock(session, named.id, async () => {
      const row = await findAny(control, named.id)
      if (!row) throw problems.notFound(`sandbox: ${idOrSlug}`)
      await checkAdoptable(deps, row, serverId)
      const tenants = servers.of(serverId)
      await tenants.ensureRole(row.id)
      const reason = await unusableReason({ tenants, log: deps.log }, row)
      if (reason !== undefined) throw problems.conflict('from', `${serverId}: ${reason}`)
      await use(deps, row, serverId)
      adopted = { row, before: row.serverId, from: serverId }
    }),
  )
  if (adopted) return adopted
  throw problems.conflict('status', `The service is working on ${named.slug}: try again`)
}

async function checkAdoptable({ servers }: AdoptDeps, row: SandboxRow, serverId: string): Promise<void> {
  const { slug, status, failureReason, removingAt, expiredAt, movingTo } = row
  if (row.serverId === serverId)
    throw problems.conflict('from', `The sandbox ${slug} uses its database on ${serverId} already`)
  if (removingAt) throw problems.conflict('status', `The sandbox ${slug} is being removed`)
  if (expiredAt) throw problems.conflict('status', `The sandbox ${slug} has expired: use sandbox restore`)
  if (status !== 'ready' && failureReason !== DATABASE_MISSING)
    throw problems.conflict(
      'status',
      `The sandbox ${slug} ${status === 'failed' ? 'has failed' : 'is being provisioned'}`,
    )
  if (movingTo !== null) throw problems.conflict('status', `The sandbox ${slug} is being moved to ${movingTo}`)
  const metadata = await servers.of(serverId).metadataOf(row.id)
  if (metadata === undefined) throw problems.conflict('from', `${serverId} has no database of ${slug}`)
  if (isOfUnknownOrigin(metadata)) return
  if (metadata.result === undefined) throw incomplete(serverId)
  if (metadata.requestedAt?.getTime() !== row.requestedAt.getTime())
    throw problems.conflict(
      'from',
      `The database on ${serverId} has another building: ${slug} was reset after one of its two databases was created`,
    )
}

const incomplete = (serverId: string) =>
  problems.conflict(
    'from',
    `The database on ${serverId} is incomplete. If a backup is being restored there, try again later`,
  )

/** Stops the stack first, so that nothing is written to the database that was used before. */
async function use({ control, operator, stopStack }: AdoptDeps, row: SandboxRow, serverId: string): Promise<void> {
  const move: Move = { id: row.id, to: serverId, requestedAt: row.requestedAt }
  const operation = { command: 'sandbox adopt', subject: row.id, details: { before: row.serverId, from: serverId } }
  const isReady = row.status === 'ready'
  try {
    const begunAt = isReady && (await beginMove(control, move)) ? await beginSwitch(control, move) : undefined
    if (isReady && begunAt === undefined) throw changed(row)
    if (isReady) await stopStack(row.id)
    await control.transaction(async (tx) => {
      if (begunAt !== undefined && !(await completeMove(tx, move, begunAt))) throw changed(row)
      if (!(await setFound(tx, isReady ? { ...row, serverId } : row, serverId))) throw changed(row)
      await insertOperation(tx, operator, operation)
    })
  } catch (err) {
    await endMove(control, row.id)
    throw err
  }
}

const changed = ({ slug }: SandboxRow) =>
  problems.conflict('status', `The sandbox ${slug} is being reset or removed: the database was not adopted`)
