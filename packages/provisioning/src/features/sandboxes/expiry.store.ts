import { type Queryable, sql } from '@storey/kit/database'

export interface ExpiredRow {
  id: string
  slug: string
}

/** Marks sandboxes past their expiry as expired. Their Idempotency-Keys can be used again. */
export async function startExpired(db: Queryable, now: Date): Promise<ExpiredRow[]> {
  return await db.rows<ExpiredRow & Record<string, unknown>>(sql`
    update sandboxes set expired_at = ${now}, idempotency_key = null, due_at = null, running_since = null
    where removing_at is null and expired_at is null and expires_at <= ${now} returning id, slug`)
}

/**
 * Makes sandboxes active again whose expiry is later than `now`, so it was decided by a clock that was ahead, if they
 * are not past their expiry.
 */
export async function undoExpired(db: Queryable, now: Date): Promise<ExpiredRow[]> {
  return await db.rows<ExpiredRow & Record<string, unknown>>(sql`
    update sandboxes set expired_at = null
    where removing_at is null and expired_at > ${now} and expires_at > ${now} returning id, slug`)
}

/** Returns those of the ids whose sandboxes are expired. */
export async function listExpired(db: Queryable, ids: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(
    sql`select id from sandboxes where id = any(${ids}) and expired_at is not null`,
  )
  return rows.map(({ id }) => id)
}

/** Starts the removal of all sandboxes that expired until `expiredUntil`. */
export async function startPurge(db: Queryable, expiredUntil: Date, now: Date): Promise<number> {
  return await db.run(sql`update sandboxes set removing_at = ${now}
    where removing_at is null and expired_at <= ${expiredUntil}`)
}

/** Makes an expired sandbox active again. False when it is not expired, is being removed, or does not exist. */
export async function restoreExpired(db: Queryable, id: string, expiresAt: Date): Promise<boolean> {
  const count = await db.run(sql`update sandboxes set expired_at = null, expires_at = ${expiresAt}
    where id = ${id} and expired_at is not null and removing_at is null`)
  return count > 0
}

export async function countExpired(db: Queryable): Promise<number> {
  const row = await db.row<{ count: number }>(
    sql`select count(*) as count from sandboxes where expired_at is not null and removing_at is null`,
  )
  return row!.count
}
