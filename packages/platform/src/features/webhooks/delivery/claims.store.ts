import { type Queryable, sql } from '@storey/kit/database'

export type Claim = {
  deliveryId: string
  webhookId: string
  eventId: string
  idempotencyKey: string
  /** The number of the attempt this is for. */
  attempt: number
  mostAttempts: number
  url: string
  sealedSecret: Buffer | null
  sealedPreviousSecret: Buffer | null
  previousSecretUntil: Date | null
  /** Once for each event that is not held already. */
  body: Buffer | null
}

export interface ClaimOrder {
  now: Date
  leaseUntil: Date
  /** A lease that ends later was taken by a clock that has been put back since: it counts as ended. */
  latestLease: Date
  /** For a subscription that `most` does not name. */
  usual: number
  most: ReadonlyMap<string, number>
  /** Events whose bytes need not be read. */
  held: readonly string[]
}

/**
 * Takes deliveries that are due, the longest due first, so many for each subscription. A claim is a lease: until it
 * ends nobody else takes the delivery. One that lapsed was lost with its process: the delivery is sent again, and gets
 * one attempt more in the place of the lost one.
 *
 * Not waited for on the disk: a claim that a crash of the server undoes is made again.
 */
export async function claimDue(db: Queryable, order: ClaimOrder): Promise<Claim[]> {
  const { now, leaseUntil, latestLease, usual, most, held } = order
  return db.rows<Claim>(sql`
    with relaxed as (select set_config('synchronous_commit', 'off', true)),
    due as (
      select d.id, d.next_attempt_at, d.leased_until, w.url, w.sealed_secret, w.sealed_previous_secret,
        w.previous_secret_until
      from webhooks w
        left join unnest(${[...most.keys()]}::uuid[], ${[...most.values()]}::integer[]) as own (id, most) on own.id = w.id
        cross join lateral (
          select id, next_attempt_at, leased_until from webhook_deliveries
          where webhook_id = w.id and state = 'pending' and next_attempt_at <= ${now}
            and (leased_until is null or leased_until <= ${now} or leased_until > ${latestLease})
          order by next_attempt_at limit coalesce(own.most, ${usual}) for update skip locked
        ) d
      where coalesce(w.paused_by, '') <> 'person'
    ),
    claimed as (
      update webhook_deliveries d set attempts = attempts + 1, leased_until = ${leaseUntil},
        most_attempts = most_attempts + case when due.leased_until is null then 0 else 1 end
      from due, relaxed where d.id = due.id
      returning d.id, d.webhook_id, d.event_id, d.idempotency_key, d.attempts, d.most_attempts, due.url,
        due.sealed_secret, due.sealed_previous_secret, due.previous_secret_until, d.next_attempt_at
    )
    select c.id as "deliveryId", c.webhook_id as "webhookId", c.event_id as "eventId",
      c.idempotency_key as "idempotencyKey", c.attempts as attempt, c.most_attempts as "mostAttempts", c.url,
      c.sealed_secret as "sealedSecret", c.sealed_previous_secret as "sealedPreviousSecret", c.previous_secret_until as "previousSecretUntil",
      case when row_number() over (partition by c.event_id) = 1 and c.event_id <> all(${held}::uuid[])
        then e.body end as body
    from claimed c join outbound_events e on e.id = c.event_id
    order by c.next_attempt_at`)
}

/** Gives back what was claimed and not begun. */
export async function releaseClaims(db: Queryable, deliveryIds: readonly string[], leasedUntil: Date): Promise<void> {
  await db.run(sql`
    update webhook_deliveries set attempts = attempts - 1, leased_until = null
    where id = any(${deliveryIds}::uuid[]) and state = 'pending' and leased_until = ${leasedUntil}`)
}

/**
 * Deliveries that wait for longer than any pause between two attempts were put off by a clock that has been put back
 * since: they are due now. Tells how many there were.
 */
export async function pullIn(db: Queryable, now: Date, latest: Date): Promise<number> {
  return db.run(sql`
    update webhook_deliveries set next_attempt_at = ${now} where id in (
      select d.id from webhooks w cross join lateral (
        select id from webhook_deliveries where webhook_id = w.id and state = 'pending' and next_attempt_at > ${latest}
        order by next_attempt_at for update skip locked
      ) d
    )`)
}

/** Leases at the head of a subscription's queue that are looked at: more than are claimed at a time. */
const MOST_LEASES = 1000

/** When something is next to be sent, as far as it is queued, and the end of a lease where it is; null: nothing is. */
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
        order by next_attempt_at limit ${MOST_LEASES}
      ) head
    ) d where coalesce(w.paused_by, '') <> 'person'`)
  return row!.at
}
