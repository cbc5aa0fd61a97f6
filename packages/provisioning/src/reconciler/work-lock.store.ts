import { NOTICE_FAILURES, type Queryable, sql, type Tx } from '@storey/kit/database'

const LOCK_SPACE = 7_305_021

/** Runs work on a sandbox under a session lock. Returns false if another process holds the lock. */
export async function withWorkLock(session: Tx, sandboxId: string, work: () => Promise<void>): Promise<boolean> {
  // Otherwise the lock of a machine that has failed would be held for hours.
  await session.client.query(NOTICE_FAILURES)
  const row = await session.row<{ locked: boolean }>(
    sql`select pg_try_advisory_lock(${LOCK_SPACE}, hashtext(${sandboxId})) as locked`,
  )
  if (!row?.locked) return false
  try {
    await work()
    return true
  } finally {
    await session.run(sql`select pg_advisory_unlock(${LOCK_SPACE}, hashtext(${sandboxId}))`).catch(() => undefined)
  }
}

/** The session with the lock on a sandbox has ended. Another process may have the lock now. */
export class WorkLockLost extends Error {
  override name = 'WorkLockLost'
  constructor() {
    super('the session with the lock on the sandbox has ended')
  }
}

/**
 * Whether the session in which `withWorkLock` runs still has its lock. PostgreSQL releases the lock when the session
 * ends, and does not report that to the work.
 */
export async function holdsWorkLock(session: Tx): Promise<boolean> {
  return await session.run(sql`select 1`).then(
    () => true,
    () => false,
  )
}

export async function checkWorkLock(session: Tx): Promise<void> {
  if (!(await holdsWorkLock(session))) throw new WorkLockLost()
}

/**
 * The hashes of the ids of all sandboxes that a control plane or an operator command works on now. Another sandbox
 * whose id has the same hash counts as locked too.
 */
export async function listLocks(db: Queryable): Promise<number[]> {
  const rows = await db.rows<{ hash: number }>(sql`
    select case when objid::bigint < 2147483648 then objid::bigint else objid::bigint - 4294967296 end as hash
    from pg_locks where locktype = 'advisory' and classid = ${LOCK_SPACE} and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())`)
  return rows.map(({ hash }) => Number(hash))
}
