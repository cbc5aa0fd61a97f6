import { type Queryable, sql } from '@storey/kit/database'

export interface AttemptsRow {
  failures: number
  windowEndsAt: Date
}

/** Counts one more, in a window that starts with its first and ends on its own, however many follow. */
export async function countAttempt(db: Queryable, subject: Buffer, now: Date, windowMs: number): Promise<AttemptsRow> {
  const row = await db.row<AttemptsRow & Record<string, unknown>>(sql`
    insert into identity_attempts as a (subject, failures, window_ends_at)
    values (${subject}, 1, ${new Date(now.getTime() + windowMs)})
    on conflict (subject) do update set
      failures = case when a.window_ends_at <= ${now} then 1 else a.failures + 1 end,
      window_ends_at = case when a.window_ends_at <= ${now} then excluded.window_ends_at else a.window_ends_at end
    returning failures, window_ends_at as "windowEndsAt"`)
  return row!
}

export async function takeBack(db: Queryable, subject: Buffer): Promise<void> {
  await db.run(sql`update identity_attempts set failures = failures - 1 where subject = ${subject} and failures > 0`)
}

export async function deleteEnded(db: Queryable, now: Date): Promise<void> {
  await db.run(sql`delete from identity_attempts where window_ends_at < ${now}`)
}
