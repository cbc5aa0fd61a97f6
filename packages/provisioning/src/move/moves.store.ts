import { type Queryable, sql, type Tx } from '@storey/kit/database'

/**
 * A move of a sandbox to the server `to`. `requestedAt` identifies the building that is moved, because a reset changes
 * this time.
 */
export interface Move {
  id: string
  to: string
  requestedAt: Date
}

/** The condition for a sandbox that can be moved. */
const movable = ({ id, requestedAt }: Move) =>
  sql`id = ${id} and status = 'ready' and requested_at = ${requestedAt} and removing_at is null`

/** Returns false if the sandbox is being reset or removed. */
export async function beginMove(db: Queryable, move: Move): Promise<boolean> {
  return (
    (await db.run(sql`update sandboxes set moving_to = ${move.to}, switching_at = null where ${movable(move)}`)) > 0
  )
}

/**
 * From now on the stack of the sandbox is not started. Returns the time at which the switch began, which identifies the
 * switch; undefined if the sandbox is being reset or removed.
 */
export async function beginSwitch(db: Queryable, move: Move): Promise<string | undefined> {
  const row = await db.row<{ begunAt: string }>(sql`update sandboxes set switching_at = clock_timestamp()
    where ${movable(move)} and moving_to = ${move.to} returning switching_at::text as "begunAt"`)
  return row?.begunAt
}

/**
 * The moment of the move: from now on the sandbox has its database on the other server. False if the switch that began
 * at `begunAt` is over: then the stack may run again, and may have written to the database on the first server.
 */
export async function completeMove(tx: Tx, move: Move, begunAt: string): Promise<boolean> {
  const count = await tx.run(sql`update sandboxes set server_id = ${move.to}, moving_to = null, switching_at = null
    where ${movable(move)} and moving_to = ${move.to} and switching_at = ${begunAt}::timestamptz`)
  return count > 0
}

/**
 * From now on the stack of the sandbox may be started again, and a switch that began before cannot be completed. False
 * if the sandbox does not have its database on this server any more, because the move was completed.
 */
export async function endSwitch(db: Queryable, id: string, serverId: string | null): Promise<boolean> {
  const count = await db.run(sql`update sandboxes set switching_at = null
    where id = ${id} and server_id is not distinct from ${serverId}`)
  return count > 0
}

export async function endMove(db: Queryable, id: string): Promise<void> {
  await db.run(sql`update sandboxes set moving_to = null, switching_at = null where id = ${id}`)
}

/** The id of the server process of a session. */
export async function pidOf(session: Tx): Promise<number> {
  return (await session.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))!.pid
}
