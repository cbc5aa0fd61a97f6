import { type Queryable, sql } from '@storey/kit/database'

export interface Schedule {
  /** The number of failures after which the first wait begins. */
  free: number
  /** The longest wait; 0: no wait. The first wait is one second, and each further failure doubles it. */
  maxWaitS: number
  /** The count is reset this long after the first failure. */
  windowMs: number
}

/**
 * Counts an attempt and begins the wait that follows it, in one statement, so that concurrent attempts cannot exceed
 * the schedule. Returns the number of failures. During a wait it counts nothing and returns undefined.
 */
export async function countAttempt(
  db: Queryable,
  subject: Buffer,
  now: Date,
  { free, maxWaitS, windowMs }: Schedule,
): Promise<number | undefined> {
  const windowEndsAt = new Date(now.getTime() + windowMs)
  // A window or a wait that ends later than the longest one that could begin now is ignored, because it began while the
  // clock was ahead. The extra minute is for concurrent attempts that are counted out of order.
  const latest = (ms: number) => new Date(now.getTime() + ms + 60_000)
  const isOver = sql`(a.window_ends_at <= ${now} or a.window_ends_at > ${latest(windowMs)}
    or a.blocked_until > ${latest(maxWaitS * 1000)})`
  const next = sql`case when ${isOver} then 1 else a.failures + 1 end`
  // If there is no wait, `blocked_until` is -infinity: if it were `now`, a concurrent attempt that read the clock a
  // moment earlier would be blocked.
  const blocked = (
    count: typeof next,
  ) => sql`case when ${count} < ${free}::int or ${maxWaitS}::float8 = 0 then '-infinity'
    else ${now}::timestamptz
      + make_interval(secs => least(${maxWaitS}::float8, power(2, least(${count} - ${free}::int, 20)))) end`
  const row = await db.row<{ failures: number }>(sql`
    insert into identity_attempts as a (subject, failures, window_ends_at, blocked_until)
    values (${subject}, 1, ${windowEndsAt}, ${blocked(sql`1`)})
    on conflict (subject) do update set
      failures = ${next},
      window_ends_at = case when ${isOver} then excluded.window_ends_at else a.window_ends_at end,
      blocked_until = ${blocked(next)}
      where a.blocked_until <= ${now} or ${isOver}
    returning failures`)
  return row?.failures
}

export async function findWait(db: Queryable, subject: Buffer): Promise<Date | undefined> {
  const row = await db.row<{ until: Date }>(sql`select blocked_until as until from identity_attempts
    where subject = ${subject} and isfinite(blocked_until)`)
  return row?.until
}

export async function findFailures(db: Queryable, subject: Buffer, now: Date): Promise<number> {
  const row = await db.row<{ failures: number }>(sql`select failures from identity_attempts
    where subject = ${subject} and window_ends_at > ${now}`)
  return row?.failures ?? 0
}

export async function undoAttempt(db: Queryable, subject: Buffer): Promise<void> {
  await db.run(sql`update identity_attempts set failures = greatest(failures - 1, 0), blocked_until = '-infinity'
    where subject = ${subject}`)
}

export async function deleteAttempts(db: Queryable, subject: Buffer): Promise<void> {
  await db.run(sql`delete from identity_attempts where subject = ${subject}`)
}

export async function deleteEnded(db: Queryable, now: Date): Promise<void> {
  await db.run(sql`delete from identity_attempts where window_ends_at < ${now}`)
}
