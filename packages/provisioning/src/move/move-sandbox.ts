import { setTimeout as sleep } from 'node:timers/promises'
import { problems } from '@storey/contract'
import { elapsedMs } from '@storey/kit/clock'
import type { Database, Migration, Tx } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { insertOperation } from '../features/operator/index.ts'
import { findAny, findByName, type SandboxRow } from '../features/sandboxes/index.ts'
import { holdsWorkLock, withWorkLock } from '../reconciler/index.ts'
import {
  isOfUnknownOrigin,
  mayBeNewer,
  refuseForeign,
  type TenantServers,
  tenantVersion,
  unusableReason,
} from '../tenants/index.ts'
import { startTenantCopy } from './copy-tenant.store.ts'
import { beginMove, beginSwitch, completeMove, type Move, pidOf } from './moves.store.ts'
import { openTenant, undoMove } from './undo-move.ts'
import { watchForChange } from './watch-for-change.ts'

export interface MoveDeps {
  control: Database
  operator: string
  servers: TenantServers
  migrations: readonly Migration[]
  log: Log
  /** Stops the stack of the sandbox, if it runs. */
  stopStack(sandboxId: string): Promise<void>
  print(line: string): void
}

export interface Moved {
  row: SandboxRow
  from: string
  to: string
  /** How many rows were copied at first, and how many changes later. */
  rows: number
  changes: number
  /** How long the sandbox could not be used. */
  pausedMs: number
  tookMs: number
  /** False if the database on the first server could not be dropped: the sweep then finds it. */
  isSourceDropped: boolean
}

/** The pause begins when the last round of changes took less than this, or after `MAX_ROUNDS` rounds. */
const SHORT_ROUND_MS = 500
const MAX_ROUNDS = 20
/** How long the command waits for other work on the sandbox, such as the end of a move whose command was killed. */
const LOCK_LIMIT_MS = 10_000

/**
 * Moves the database of a sandbox to another server. The database is copied while the sandbox is in use; the sandbox
 * pauses only for the last changes. A single update of the sandbox's row completes the move. Until then, the database
 * on the first server is the one in use.
 */
export async function moveSandbox(deps: MoveDeps, idOrSlug: string, to: string): Promise<Moved> {
  const { control, servers } = deps
  const named = await findByName(control, idOrSlug)
  if (!named) throw problems.notFound(`sandbox: ${idOrSlug}`)
  checkMovable(named)
  const target = servers.find(to)
  if (target?.id === undefined) throw problems.notFound(`database server: ${to}`)
  if (!target.isUp) throw problems.conflict('to', `The database server ${to} is unavailable: ${target.reason}`)
  if (target.id === named.serverId) throw problems.conflict('to', `The sandbox ${named.slug} is on ${to} already`)
  const toId = target.id
  await refuseForeign(servers, toId, named.serverId)
  return await control.session(async (session) => {
    let moved: Moved | undefined
    const work = async () => {
      const row = await findAny(control, named.id)
      if (!row) throw problems.notFound(`sandbox: ${idOrSlug}`)
      checkMovable(row)
      if (row.serverId === toId) throw problems.conflict('to', `The sandbox ${row.slug} is on ${to} already`)
      if (row.movingTo !== null) await undoMove(deps, row)
      moved = await moveLocked(deps, session, row, row.serverId!, toId)
    }
    for (const deadline = elapsedMs() + LOCK_LIMIT_MS; !(await withWorkLock(session, named.id, work)); await sleep(200))
      if (elapsedMs() >= deadline) break
    if (moved) return moved
    const moving = (await findAny(control, named.id))?.movingTo
    throw problems.conflict(
      'status',
      moving
        ? `The sandbox ${named.slug} is being moved to ${moving}`
        : `The service is working on ${named.slug}: try again`,
    )
  })
}

function checkMovable({ slug, status, removingAt, migrationTarget, serverId }: SandboxRow): void {
  if (removingAt) throw problems.conflict('status', `The sandbox ${slug} is being removed`)
  if (status !== 'ready' || serverId === null)
    throw problems.conflict(
      'status',
      `The sandbox ${slug} ${status === 'failed' ? 'has failed: it has no database' : 'is being provisioned'}`,
    )
  if (migrationTarget !== null)
    throw problems.conflict(
      'status',
      `The database of ${slug} does not have the current schema: run operator migrate first`,
    )
}

async function moveLocked(deps: MoveDeps, lock: Tx, row: SandboxRow, from: string, to: string): Promise<Moved> {
  const { control, servers, migrations, log } = deps
  const startedAt = elapsedMs()
  const tenants = { from: servers.of(from), to: servers.of(to) }
  if ((await tenants.from.metadataOf(row.id)) === undefined)
    throw problems.conflict('status', `The database of ${row.slug} is missing on ${from}`)
  const reason = await unusableReason({ tenants: tenants.from, log }, row)
  if (reason !== undefined) throw problems.conflict('status', reason)
  const version = await tenantVersion({ tenants: tenants.from, migrations, log }, row.id)
  if (version !== migrations.length)
    throw problems.conflict(
      'status',
      version > migrations.length
        ? `The database of ${row.slug} has schema ${version}, which is newer than this program (${migrations.length}): update the program`
        : `The database of ${row.slug} has schema ${version}, not ${migrations.length}: run operator migrate first`,
    )
  const existing = await tenants.to.metadataOf(row.id)
  if (existing && (isOfUnknownOrigin(existing) || mayBeNewer(existing, row.requestedAt)))
    throw problems.conflict(
      'to',
      `${to} has a database of ${row.slug}. It may be a backup or, if the control database was restored, newer than ` +
        `the database in use. See operator leftovers, then use it (operator sandbox adopt) or drop it (operator leftovers drop ${row.id} --from ${to})`,
    )
  const move: Move = { id: row.id, to, requestedAt: row.requestedAt }
  if (!(await beginMove(control, move))) throw overtaken(row)
  try {
    const copied = await copyAndSwitch(deps, row, move, tenants)
    const isSourceDropped = await tenants.from.drop(row.id).then(
      () => true,
      (err) => {
        log.warn({ err, sandboxId: row.id, server: from }, 'database of a moved sandbox not dropped')
        return false
      },
    )
    return { row, from, to, ...copied, tookMs: Math.round(elapsedMs() - startedAt), isSourceDropped }
  } catch (err) {
    // Only the row shows where the sandbox is: the update that completes the move may have been committed although its
    // response was lost.
    const now = await findAny(control, row.id)
    if (now?.serverId !== from) throw err
    // Without the lock, another command may be moving the sandbox. The service undoes what is left of this move.
    if (!(await holdsWorkLock(lock))) {
      log.warn({ err, sandboxId: row.id }, 'lock on a sandbox lost during its move')
      throw lockLost(row)
    }
    await undoMove(deps, { ...now, movingTo: to }, { isOwnCopy: true }).catch((cause) =>
      log.warn({ err: cause, sandboxId: row.id }, 'could not undo a move, the service will try again'),
    )
    throw err
  }
}

const lockLost = ({ slug }: SandboxRow) =>
  problems.conflict(
    'status',
    `The command lost a connection to the control database, so the sandbox ${slug} was not moved: try again`,
  )

const overtaken = ({ slug }: SandboxRow) =>
  problems.conflict('status', `The sandbox ${slug} is being reset or removed, so it was not moved`)

async function copyAndSwitch(
  deps: MoveDeps,
  row: SandboxRow,
  move: Move,
  tenants: { from: ReturnType<TenantServers['of']>; to: ReturnType<TenantServers['of']> },
): Promise<Pick<Moved, 'rows' | 'changes' | 'pausedMs'>> {
  const { control, log, print, operator } = deps
  const { from, to } = tenants
  const metadata = await from.metadataOf(row.id)
  if (metadata === undefined) throw problems.conflict('status', `The database of ${row.slug} is missing`)
  print(`Creating the database on ${move.to}`)
  await to.create(row.id, row.requestedAt)
  const watch = watchForChange({ row, read: () => findAny(control, row.id), onChange: () => overtaken(row), log })
  const databases = { from: openTenant(from, row.id, log), to: openTenant(to, row.id, log) }
  try {
    return await databases.from.session((source) =>
      databases.to.session(async (sink) => {
        const copy = await startTenantCopy({ from: source, to: sink, signal: watch.signal })
        const rows = await copy.copyAll((table, count) => void (count > 0 && print(`Copied ${count} rows of ${table}`)))
        let changes = 0
        for (let round = 0; round < MAX_ROUNDS; round++) {
          const begunAt = elapsedMs()
          changes += await copy.catchUp()
          if (elapsedMs() - begunAt < SHORT_ROUND_MS) break
        }
        print(`Copied ${rows} rows and ${changes} changes. Pausing the sandbox`)
        const pausedAt = elapsedMs()
        const begunAt = await beginSwitch(control, move)
        if (begunAt === undefined) throw overtaken(row)
        await deps.stopStack(row.id)
        await from.closeExcept(row.id, await pidOf(source))
        changes += await copy.catchUp()
        await copy.finish()
        if (metadata.result) await to.recordSeeded(row, metadata.result)
        watch.signal.throwIfAborted()
        const details = { from: row.serverId, to: move.to, rows, changes }
        await control.transaction(async (tx) => {
          if (!(await completeMove(tx, move, begunAt))) throw overtaken(row)
          await insertOperation(tx, operator, { command: 'sandbox move', subject: row.id, details })
        })
        return { rows, changes, pausedMs: Math.round(elapsedMs() - pausedAt) }
      }),
    )
  } catch (err) {
    throw watch.signal.aborted ? watch.signal.reason : err
  } finally {
    watch.end()
    await Promise.all([databases.from.close(), databases.to.close()])
  }
}
