import { type Queryable, sql } from '@storey/kit/database'

/**
 * A revocation is kept this long. The revoked tokens have expired by then: access tokens of accounts are valid for ten
 * minutes, unless an external provider is configured otherwise.
 */
const KEPT_MS = 24 * 3_600_000

const since = (now: Date) => new Date(now.getTime() - KEPT_MS)

/**
 * Revokes all tokens of this subject that were issued until now. Stacks that start later refuse them too. A token has
 * the time of the machine that issued it, and the clock of that machine may be ahead. So `now` is the latest time
 * that is known (`latestTime`). Does nothing if the sandbox does not exist any more.
 */
export async function insertRevoked(db: Queryable, sandboxId: string, subject: string, now: Date): Promise<void> {
  await db.run(sql`
    insert into revoked_subjects (sandbox_id, subject, revoked_at)
    select id, ${subject}, ${now} from sandboxes where id = ${sandboxId}
    on conflict (sandbox_id, subject) do update set revoked_at = greatest(revoked_subjects.revoked_at, excluded.revoked_at)`)
}

/** An account that a developer has in one of their own sandboxes. */
export interface OwnedAccount {
  id: string
  tenantId: string
}

/**
 * Revokes the tokens of a developer's accounts in the developer's own sandboxes, except in sandboxes that are expired
 * or being removed. Returns the ids of the sandboxes in which it has revoked tokens, without those that are
 * suspended.
 */
export async function revokeOwner(
  db: Queryable,
  developerId: string,
  accounts: readonly OwnedAccount[],
  now: Date,
): Promise<string[]> {
  const owned = sql`unnest(${accounts.map(({ id }) => id)}::text[], ${accounts.map(({ tenantId }) => tenantId)}::text[])`
  const rows = await db.rows<{ id: string }>(sql`
    with own as (
      select s.id, a.subject, s.suspended_at from sandboxes s join ${owned} as a (subject, tenant_id) on a.tenant_id = s.tenant_id
      where s.developer_id = ${developerId} and s.removing_at is null and s.expired_at is null
    ),
    revoked as (
      insert into revoked_subjects (sandbox_id, subject, revoked_at) select id, subject, greatest(now(), ${now}) from own
      on conflict (sandbox_id, subject)
        do update set revoked_at = greatest(revoked_subjects.revoked_at, excluded.revoked_at)
    )
    select id from own where suspended_at is null`)
  return rows.map(({ id }) => id)
}

/** Returns the time of the last revocation: tokens of this subject that were issued until then are revoked. */
export async function findRevoked(db: Queryable, sandboxId: string, subject: string): Promise<Date | undefined> {
  const row = await db.row<{ revokedAt: Date }>(sql`select revoked_at as "revokedAt" from revoked_subjects
    where sandbox_id = ${sandboxId} and subject = ${subject}`)
  return row?.revokedAt
}

export async function deleteOldRevoked(db: Queryable, now: Date): Promise<void> {
  await db.run(sql`delete from revoked_subjects where revoked_at <= ${since(now)}`)
}

export async function listRevoked(
  db: Queryable,
  sandboxId: string,
  now: Date,
): Promise<{ subject: string; revokedAt: Date }[]> {
  return await db.rows<{ subject: string; revokedAt: Date }>(sql`
    select subject, revoked_at as "revokedAt" from revoked_subjects
    where sandbox_id = ${sandboxId} and revoked_at > ${since(now)} order by revoked_at`)
}
