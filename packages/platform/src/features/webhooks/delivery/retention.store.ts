import { LIMITS } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'

export async function readWebhookIds(db: Queryable): Promise<string[]> {
  return (await db.rows<{ id: string }>(sql`select id from webhooks`)).map(({ id }) => id)
}

/**
 * Deletes ended deliveries, with their attempts, when the API no longer lists any of these attempts: it lists the last
 * `attemptsListed` attempts of a webhook. Returns the ids of the events of the deleted deliveries.
 */
export async function deleteOldDeliveries(db: Queryable, webhookId: string, limit: number): Promise<string[]> {
  const rows = await db.rows<{ eventId: string }>(sql`
    with first_listed as (
      select attempted_at, id from webhook_attempts where webhook_id = ${webhookId}
      order by attempted_at desc, id desc offset ${LIMITS.webhook.attemptsListed - 1} limit 1
    ),
    old as (
      select d.id from webhook_deliveries d where d.state <> 'pending' and d.id in (
        select a.delivery_id from webhook_attempts a, first_listed f
        where a.webhook_id = ${webhookId} and (a.attempted_at, a.id) < (f.attempted_at, f.id)
      ) and not exists (
        select from webhook_attempts a, first_listed f
        where a.delivery_id = d.id and (a.attempted_at, a.id) >= (f.attempted_at, f.id)
      )
      limit ${limit} for update of d skip locked
    ),
    gone as (delete from webhook_deliveries d using old where d.id = old.id returning d.id, d.event_id),
    without as (delete from webhook_attempts a using gone where a.delivery_id = gone.id)
    select event_id as "eventId" from gone`)
  return rows.map(({ eventId }) => eventId)
}

/**
 * Deletes those of the given events that have no delivery left. If a crash of the database server undoes the deletion,
 * `deleteOrphans` deletes the events again.
 */
export async function deleteEvents(db: Queryable, eventIds: readonly string[]): Promise<void> {
  await db.run(sql`
    with relaxed as (select set_config('synchronous_commit', 'off', true))
    delete from outbound_events e using relaxed
    -- The lateral join searches the indexes for each id. Without it, the planner may choose to read all deliveries.
    where e.ctid = any(array(
      select found.ctid from unnest(${eventIds}::uuid[]) as given (id) cross join lateral (
        select ctid from outbound_events where id = given.id
          and not exists (select from webhook_deliveries d where d.event_id = given.id) limit 1
      ) found
    ))`)
}

/** Deletes events without deliveries. Returns their number. */
export async function deleteOrphans(db: Queryable, limit: number): Promise<number> {
  return db.run(sql`
    delete from outbound_events where id in (
      select id from outbound_events e
      where not exists (select from webhook_deliveries d where d.event_id = e.id) limit ${limit}
    )`)
}
