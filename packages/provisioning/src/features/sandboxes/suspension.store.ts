import { type Queryable, sql, type Tx } from '@storey/kit/database'

export interface Suspended {
  id: string
  slug: string
}

/** Suspends a sandbox, or changes the reason of its suspension. */
export async function setSuspended(tx: Tx, id: string, reason: string | null): Promise<void> {
  await tx.run(sql`update sandboxes set suspended_at = coalesce(suspended_at, now()), suspension_reason = ${reason},
    suspended_with_owner = false where id = ${id}`)
}

export async function clearSuspended(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`update sandboxes set suspended_at = null, suspension_reason = null, suspended_with_owner = false,
    resumed_at = now() where id = ${id}`)
}

/** Suspends all sandboxes of a developer that are not suspended yet. */
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
