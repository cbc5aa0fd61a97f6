import { type Queryable, sql, type Tx } from '@storey/kit/database'

export interface Suspended {
  id: string
  slug: string
}

/**
 * Suspends a sandbox, or changes the reason of its suspension. A sandbox that was suspended with the account of its
 * owner then stays suspended when the account is enabled. Returns false if nothing changed.
 */
export async function setSuspended(tx: Tx, id: string, reason: string | null): Promise<boolean> {
  const changed = await tx.run(sql`update sandboxes set suspended_at = coalesce(suspended_at, now()),
    suspension_reason = coalesce(${reason}, suspension_reason), suspended_with_owner = false
    where id = ${id} and (suspended_at is null or suspended_with_owner
      or coalesce(${reason}, suspension_reason) is distinct from suspension_reason)`)
  return changed > 0
}

export async function clearSuspended(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`update sandboxes set suspended_at = null, suspension_reason = null, suspended_with_owner = false,
    resumed_at = now() where id = ${id}`)
}

/** Suspends those sandboxes of a developer that are neither suspended nor being removed. */
export async function suspendOfOwner(tx: Tx, developerId: string, reason: string): Promise<Suspended[]> {
  return await tx.rows<Suspended & Record<string, unknown>>(sql`update sandboxes
    set suspended_at = now(), suspension_reason = ${reason}, suspended_with_owner = true
    where developer_id = ${developerId} and suspended_at is null and removing_at is null returning id, slug`)
}

/** Resumes the sandboxes that were suspended with the account of their owner. */
export async function resumeOfOwner(tx: Tx, developerId: string): Promise<Suspended[]> {
  return await tx.rows<Suspended & Record<string, unknown>>(sql`update sandboxes
    set suspended_at = null, suspension_reason = null, suspended_with_owner = false, resumed_at = now()
    where developer_id = ${developerId} and suspended_with_owner returning id, slug`)
}

/** How many sandboxes of a developer are neither suspended nor expired nor being removed. */
export async function countOpenOfOwner(db: Queryable, developerId: string): Promise<number> {
  const row = await db.row<{ count: number }>(sql`select count(*) as count from sandboxes
    where developer_id = ${developerId} and suspended_at is null and removing_at is null and expired_at is null`)
  return row!.count
}
