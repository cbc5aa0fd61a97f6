import { type Database, openDatabase, TIME_LIMITS } from '@storey/kit/database'
import type { Log } from '@storey/kit/log'
import { findAny, type SandboxRow } from '../features/sandboxes/index.ts'
import { withWorkLock } from '../reconciler/index.ts'
import type { TenantServers, Tenants } from '../tenants/index.ts'
import { stopCapture } from './change-capture.store.ts'
import { endMove, endSwitch } from './moves.store.ts'

export interface UndoMoveDeps {
  control: Database
  servers: Pick<TenantServers, 'of' | 'isUp'>
  log: Log
}

/** Opens the database of a sandbox as the role of the sandbox, with one connection. */
export function openTenant(tenants: Tenants, sandboxId: string, log: Log): Database {
  return openDatabase({
    ...{ url: tenants.url(sandboxId), log, applicationName: `move ${sandboxId}`, maxConnections: 1 },
    limits: TIME_LIMITS.migration,
  })
}

/**
 * Leaves a sandbox on its server, after a move that was not completed. The caller has the lock on the sandbox.
 * `isOwnCopy`: the caller itself created the copy. If the control database was restored from a backup, a complete copy
 * that another command created may be the newer database, so such a copy is left for the sweep.
 */
export async function undoMove(
  { control, servers, log }: UndoMoveDeps,
  row: SandboxRow,
  { isOwnCopy = false } = {},
): Promise<void> {
  // This comes first, so that the stack can be started again even if a later statement fails. From then on a command
  // that has lost its lock cannot complete the move.
  if (!(await endSwitch(control, row.id, row.serverId))) return
  if (row.serverId !== null && row.status === 'ready') {
    const tenants = servers.of(row.serverId)
    await tenants.checkOwned()
    await tenants.ensureRole(row.id)
    const database = openTenant(tenants, row.id, log)
    await database.session(stopCapture).finally(() => database.close())
  }
  // A copy on a server that does not answer now is left for the sweep.
  if (row.movingTo !== null && row.movingTo !== row.serverId && servers.isUp(row.movingTo)) {
    const tenants = servers.of(row.movingTo)
    const metadata = await tenants.metadataOf(row.id)
    if (metadata && (isOwnCopy || metadata.result === undefined)) await tenants.drop(row.id)
  }
  await endMove(control, row.id)
}

export interface AbandonedMovesDeps extends UndoMoveDeps {
  onChange(slug: string): void
}

/**
 * Undoes the move of each of these sandboxes if the command that moved it ended before the move was completed: the row
 * of the sandbox still names the target, and nobody holds the lock.
 */
export async function undoAbandonedMoves(deps: AbandonedMovesDeps, moving: readonly string[]): Promise<void> {
  const { control, log, onChange } = deps
  for (const id of moving) {
    await control.session((session) =>
      withWorkLock(session, id, async () => {
        const row = await findAny(control, id)
        if (!row || row.movingTo === null) return
        const fields = { sandboxId: id, from: row.serverId, to: row.movingTo }
        await undoMove(deps, row).then(
          () => log.warn(fields, 'move of a sandbox was interrupted, undone'),
          (err) => log.debug({ ...fields, err }, 'could not undo the move of a sandbox yet'),
        )
        onChange(row.slug)
      }),
    )
  }
}
