import { sql, type Tx } from '@storey/kit/database'

const LOCK_SPACE = 7_305_021

/** Runs work on a sandbox under a session lock. Returns false if another process holds the lock. */
export async function withWorkLock(session: Tx, sandboxId: string, work: () => Promise<void>): Promise<boolean> {
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
