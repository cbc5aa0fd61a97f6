import { type Queryable, sql } from '@storey/kit/database'

export interface ExpiredRow {
  id: string
  slug: string
}

/**
 * How long an expired sandbox is kept after an absence, even if the grace period is shorter. An absence is a time in
 * which the service did not run (`reconciler/absence.ts`).
 */
const KEPT = sql`interval '1 day'`

/**
 * Marks up to `limit` sandboxes past their expiry as expired. Their Idempotency-Keys can be used again. The update
 * checks the condition again, because a sandbox may have been extended meanwhile. A `kept_until` that `keepExpired` has
 * set is deleted if it is in the past. It is reduced if it is more than a day in the future, because a clock that was
 * ahead may have set it.
 */
export async function startExpired(db: Queryable, now: Date, limit: number): Promise<ExpiredRow[]> {
  const isPast = sql`removing_at is null and expired_at is null and expires_at <= ${now}`
  return await db.rows<ExpiredRow & Record<string, unknown>>(sql`
    update sandboxes set expired_at = ${now}, idempotency_key = null, due_at = null, running_since = null,
      kept_until = case when kept_until > ${now} then least(kept_until, ${now}::timestamptz + ${KEPT}) end
    where id = any(array(select id from sandboxes where ${isPast} order by expires_at limit ${limit})) and ${isPast}
    returning id, slug`)
}

/**
 * Makes expired sandboxes active again if `expired_at` and `expires_at` are both later than `now`: they were marked
 * while a clock was ahead.
 */
export async function undoExpired(db: Queryable, now: Date): Promise<ExpiredRow[]> {
  return await db.rows<ExpiredRow & Record<string, unknown>>(sql`
    update sandboxes set expired_at = null, kept_until = null
    where removing_at is null and expired_at > ${now} and expires_at > ${now} returning id, slug`)
}

/**
 * Prolongs the grace periods of all expired sandboxes by the duration of an absence. No grace period then lasts longer
 * than one that begins now. Each expired sandbox, even if it expired during the absence, is kept for at least a day in
 * which the service runs: a later absence prolongs that day.
 */
export async function keepExpired(db: Queryable, byMs: number, now: Date): Promise<void> {
  const absence = sql`${byMs} * interval '1 millisecond'`
  const keptUntil = sql`${now}::timestamptz + ${KEPT}`
  await db.run(sql`
    update sandboxes set expired_at = least(expired_at + ${absence}, ${now}),
      kept_until = least(coalesce(kept_until + ${absence}, ${keptUntil}), ${keptUntil})
    where removing_at is null and expired_at < ${now}`)
  await db.run(sql`update sandboxes set kept_until = ${keptUntil}
    where removing_at is null and expired_at is null and expires_at <= ${now}`)
}

/**
 * Marks the removals, creations and resets in progress that were requested before the given time: if they find a
 * complete database, they keep it.
 */
export async function keepDatabases(db: Queryable, before: Date): Promise<void> {
  await db.run(sql`update sandboxes set keeps_database = true
    where removing_at < ${before} or status = 'provisioning' and requested_at < ${before}`)
}

/**
 * Starts the removal of up to `limit` sandboxes that expired at `expiredUntil` or before, unless they are kept longer.
 */
export async function startPurge(db: Queryable, expiredUntil: Date, now: Date, limit: number): Promise<number> {
  const isPast = sql`removing_at is null and expired_at <= ${expiredUntil}
    and (kept_until is null or kept_until <= ${now})`
  return await db.run(sql`update sandboxes set removing_at = ${now}, keeps_database = false
    where id = any(array(select id from sandboxes where ${isPast} order by expired_at limit ${limit})) and ${isPast}`)
}

/** Makes an expired sandbox active again. False when it is not expired, is being removed, or does not exist. */
export async function restoreExpired(db: Queryable, id: string, expiresAt: Date): Promise<boolean> {
  const count = await db.run(sql`update sandboxes set expired_at = null, kept_until = null, expires_at = ${expiresAt}
    where id = ${id} and expired_at is not null and removing_at is null`)
  return count > 0
}

export async function countExpired(db: Queryable): Promise<number> {
  const row = await db.row<{ count: number }>(
    sql`select count(*) as count from sandboxes where expired_at is not null and removing_at is null`,
  )
  return row!.count
}
