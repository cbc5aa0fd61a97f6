import { type Queryable, sql } from '@storey/kit/database'

export type RetentionTimes = {
  /**
   * The current time as it was last recorded, usually by an earlier process. A process whose clock is not confirmed yet
   * computes the age of days from this time (`retention.ts`).
   */
  seenAt: Date
  /** When old days were last deleted; null before the first deletion, and after `forgetDone`. */
  doneAt: Date | null
}

export async function readRetention(db: Queryable): Promise<RetentionTimes | undefined> {
  return await db.row<RetentionTimes>(sql`select seen_at as "seenAt", done_at as "doneAt" from telemetry_upkeep`)
}

export async function writeSeen(db: Queryable, seenAt: Date): Promise<void> {
  await db.run(sql`
    insert into telemetry_upkeep (seen_at) values (${seenAt})
    on conflict (only_row) do update set seen_at = excluded.seen_at`)
}

export async function writeDone(db: Queryable, at: Date): Promise<void> {
  await db.run(sql`
    insert into telemetry_upkeep (seen_at, done_at) values (${at}, ${at})
    on conflict (only_row) do update set seen_at = excluded.seen_at, done_at = excluded.done_at`)
}

/** Lets the next run of the loop `telemetry-upkeep` delete old days even if a run did so within the last hour. */
export async function forgetDone(db: Queryable): Promise<void> {
  await db.run(sql`update telemetry_upkeep set done_at = null`)
}

export async function deleteDaysBefore(db: Queryable, day: string): Promise<number> {
  return await db.run(sql`delete from observation_chunks where day < ${day}::date`)
}
