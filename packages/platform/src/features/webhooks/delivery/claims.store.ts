import { type Queryable, sql } from '@storey/kit/database'

export type Claim = {
  deliveryId: string
  webhookId: string
  eventId: string
  idempotencyKey: string
  /** The number of this attempt. */
  attempt: number
  maxAttempts: number
  /** Null, like the secrets, if another claim of the same webhook has the address and the secrets. */
  url: string | null
  sealedSecret: Buffer | null
  sealedPreviousSecret: Buffer | null
  previousSecretUntil: Date | null
  /** Null if this process already holds the bytes of the event, or gets them with another claim. */
  body: Buffer | null
}

export interface ClaimRequest {
  now: Date
  leaseUntil: Date
  /** A lease that ends later than this was taken before the clock was set back: it counts as ended. */
  latestLease: Date
  /** The maximum number of claims for a webhook that `limits` does not name. */
  defaultLimit: number
  limits: ReadonlyMap<string, number>
  /** Events whose bytes this process already holds. */
  held: readonly string[]
}

/**
 * Claims due deliveries, the longest due first, up to a limit for each webhook. A claim is a lease: until it ends,
 * nobody else claims the delivery. If the process dies before it records a result, the lease runs out. The delivery is
 * then sent again with the next attempt number, and its maximum number of attempts grows by one.
 *
 * Commits asynchronously: if the database server crashes and loses a claim, the delivery is claimed again.
 */
export async function claimDue(db: Queryable, request: ClaimRequest): Promise<Claim[]> {
  const { now, leaseUntil, latestLease, defaultLimit, limits, held } = request
  return db.rows<Claim>(sql`
    with relaxed as (select set_config('synchronous_commit', 'off', true)),
    due as materialized (
      select d.id
      from webhooks w
        left join unnest(${[...limits.keys()]}::uuid[], ${[...limits.values()]}::integer[]) as own (id, max_claims) on own.id = w.id
        cross join lateral (
          select id from webhook_deliveries
          where webhook_id = w.id and state = 'pending' and next_attempt_at <= ${now}
            and (leased_until is null or leased_until <= ${now} or leased_until > ${latestLease})
          order by next_attempt_at limit coalesce(own.max_claims, ${defaultLimit}) for update skip locked
        ) d
      where coalesce(w.paused_by, '') <> 'person'
    ),
    claimed as (
      update webhook_deliveries d set attempts = attempts + 1, leased_until = ${leaseUntil},
        max_attempts = max_attempts + case when leased_until is null then 0 else 1 end
      -- The ids are compared as an array, because a join would read the whole table.
      from relaxed where d.id = any(array(select id from due))
      returning d.id, d.webhook_id, d.event_id, d.idempotency_key, d.attempts, d.max_attempts, d.next_attempt_at
    ),
    placed as (
      select *, row_number() over (partition by event_id) as event_place,
        row_number() over (partition by webhook_id) as webhook_place
      from claimed
    )
    select c.id as "deliveryId", c.webhook_id as "webhookId", c.event_id as "eventId",
      c.idempotency_key as "idempotencyKey", c.attempts as attempt, c.max_attempts as "maxAttempts", w.url,
      w.sealed_secret as "sealedSecret", w.sealed_previous_secret as "sealedPreviousSecret",
      w.previous_secret_until as "previousSecretUntil",
      case when c.event_place = 1 and c.event_id <> all(${held}::uuid[]) then e.body end as body
    from placed c join outbound_events e on e.id = c.event_id
      left join webhooks w on w.id = c.webhook_id and c.webhook_place = 1
    order by c.next_attempt_at`)
}

/** Releases claims whose attempt was not started, or does not count because the process was suspended during it. */
export async function releaseClaims(db: Queryable, deliveryIds: readonly string[], leasedUntil: Date): Promise<void> {
  await db.run(sql`
    update webhook_deliveries set attempts = attempts - 1, leased_until = null
    where id = any(${deliveryIds}::uuid[]) and state = 'pending' and leased_until = ${leasedUntil}`)
}

/**
 * Sets the next attempt to `now` for deliveries whose next attempt is after `latest`. No retry delay is that long, so
 * these deliveries were scheduled before the clock was set back. Returns their number.
 */
export async function makeDelayedDue(db: Queryable, now: Date, latest: Date): Promise<number> {
  return db.run(sql`
    update webhook_deliveries set next_attempt_at = ${now} where id in (
      select d.id from webhooks w cross join lateral (
        select id from webhook_deliveries where webhook_id = w.id and state = 'pending' and next_attempt_at > ${latest}
        order by next_attempt_at for update skip locked
      ) d
    )`)
}

export interface QueueFigures {
  due: number
  oldestDueAtMs: number | null
  failing: number
}

/** The maximum number of due deliveries that are counted for a webhook. */
const MAX_COUNTED = 10_000

/** Figures for the operator. Reads the index of the pending deliveries, but not the deliveries themselves. */
export async function readQueueFigures(db: Queryable, now: Date): Promise<QueueFigures> {
  const row = await db.row<{ due: number; oldest: Date | null; failing: number }>(sql`
    select coalesce(sum(d.due), 0) as due, min(d.oldest) as oldest,
      count(*) filter (where w.consecutive_failures > 0) as failing
    from webhooks w cross join lateral (
      select count(*) as due, min(next_attempt_at) as oldest from (
        select next_attempt_at from webhook_deliveries
        where webhook_id = w.id and state = 'pending' and next_attempt_at <= ${now}
        order by next_attempt_at limit ${MAX_COUNTED}
      ) head
    ) d where coalesce(w.paused_by, '') <> 'person'`)
  const { due, oldest, failing } = row!
  return { due, oldestDueAtMs: oldest?.getTime() ?? null, failing }
}

/** How many leases are read at the head of a webhook's queue: more than a process claims at a time. */
const MAX_LEASES = 5000

/**
 * When the next delivery is due or the next lease ends, whichever is earlier; null if no delivery is pending. Webhooks
 * paused by people are left out.
 */
export async function readNextDue(db: Queryable): Promise<Date | null> {
  const row = await db.row<{ at: Date | null }>(sql`
    select min(d.at) as at from webhooks w cross join lateral (
      (
        select next_attempt_at as at from webhook_deliveries
        where webhook_id = w.id and state = 'pending' and leased_until is null order by next_attempt_at limit 1
      )
      union all
      select min(leased_until) from (
        select leased_until from webhook_deliveries where webhook_id = w.id and state = 'pending'
        order by next_attempt_at limit ${MAX_LEASES}
      ) head
    ) d where coalesce(w.paused_by, '') <> 'person'`)
  return row!.at
}
