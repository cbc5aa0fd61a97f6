import { type Queryable, sql, type Tx } from '@storey/kit/database'

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

/** The sandboxes that a process works on now. Those with another id of the same hash are among them, and wait. */
export async function listLocked(db: Queryable): Promise<Set<string>> {
  const rows = await db.rows<{ id: string }>(sql`
    select s.id from pg_locks l join sandboxes s on (hashtext(s.id)::bigint & 4294967295)::oid = l.objid
    where l.locktype = 'advisory' and l.classid = ${LOCK_SPACE} and l.objsubid = 2 and l.granted
      and l.database = (select oid from pg_database where datname = current_database())
      and (s.removing_at is not null or s.status = 'provisioning' or s.migration_target is not null)`)
  return new Set(rows.map(({ id }) => id))
}
