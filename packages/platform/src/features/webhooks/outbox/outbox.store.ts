import { LIMITS } from '@storey/contract'
import { type Queryable, type Sql, sql, type Tx } from '@storey/kit/database'
import type { OutboundEvent } from './outbound-event.ts'

export interface Wanted {
  /** The version of all webhooks together. Changes when a webhook is created or deleted, or when its events change. */
  version: number
  events: ReadonlySet<string>
}

export async function readWanted(db: Queryable): Promise<Wanted> {
  const row = await db.row<{ version: number; events: string[] }>(sql`
    select version, array(select distinct unnest(events) from webhooks) as events from webhooks_version`)
  return { version: row!.version, events: new Set(row!.events) }
}

export async function insertOutbound(db: Queryable, event: OutboundEvent): Promise<void> {
  await db.run(sql`with ${queued([event], sql`true`)} select count(*) from queued`)
}

/**
 * Common table expressions, the last of which is named `queued`. If `condition` holds, they queue a delivery of each
 * event for each active subscription to the event, and write the events that have a delivery. All events must have the
 * same name, building and time. A subscription that failures have paused gets only one event an hour, as a probe. The
 * row of such a subscription is locked, so that the second of two concurrent statements sees the new probe time. Active
 * subscriptions are locked too: if one of them were deleted meanwhile, the foreign key of its delivery would be
 * violated.
 */
export function queued(events: readonly OutboundEvent[], condition: Sql): Sql {
  const { event, createdAt } = events[0]!
  const probeAgainAt = new Date(createdAt.getTime() + LIMITS.webhook.probeAfterMs)
  // A probe planned for later than this was planned before the clock was set back, so it is sent now.
  const latestProbe = new Date(probeAgainAt.getTime() + 60_000)
  const isSubscribed = sql`(${condition}) and ${subscribedTo(events)}`
  return sql`
    active as (
      select id from webhooks where ${isSubscribed} and status = 'active' for key share
    ),
    probed as (
      select id from webhooks where ${isSubscribed} and paused_by = 'failures' 
        and (probe_at <= ${createdAt} or probe_at > ${latestProbe})
      order by id for no key update
    ),
    new_events as (
      insert into outbound_events (id, event, body, created_at)
      select e.id, ${event}, e.body, ${createdAt}
      from ${rowsOf(events)}
      where exists (select from active) or (e.id = ${events[0]!.id} and exists (select from probed))
      returning id
    ),
    rescheduled as (
      update webhooks w set probe_at = ${probeAgainAt} from probed s where w.id = s.id returning w.id
    ),
    queued as (
      insert into webhook_deliveries
        (webhook_id, event_id, is_probe, max_attempts, next_attempt_at, created_at)
      select w.id, e.id, false, ${LIMITS.webhook.attempts}::integer, ${createdAt}::timestamptz, ${createdAt}::timestamptz
      from new_events e cross join active w
      union all
      select p.id, e.id, true, 1, ${createdAt}::timestamptz, ${createdAt}::timestamptz
      from new_events e cross join rescheduled p where e.id = ${events[0]!.id}
      returning id
    )`
}

/**
 * Queues further events for the active subscriptions, in the transaction that queued the first ones. Probes get only the
 * first event.
 */
export async function queueMore(tx: Tx, events: readonly OutboundEvent[]): Promise<void> {
  const { event, createdAt } = events[0]!
  await tx.run(sql`
    with active as (
      select id from webhooks where ${subscribedTo(events)} and status = 'active' for key share
    ),
    new_events as (
      insert into outbound_events (id, event, body, created_at)
      select e.id, ${event}, e.body, ${createdAt} from ${rowsOf(events)} where exists (select from active)
      returning id
    )
    insert into webhook_deliveries (webhook_id, event_id, is_probe, max_attempts, next_attempt_at, created_at)
    select w.id, e.id, false, ${LIMITS.webhook.attempts}::integer, ${createdAt}::timestamptz, ${createdAt}::timestamptz
    from new_events e cross join active w`)
}

/** The condition for webhooks that want these events, which all have the same name and building. */
const subscribedTo = ([first]: readonly OutboundEvent[]): Sql =>
  sql`${first!.event} = any(events) and (building_ids is null or ${first!.buildingId} = any(building_ids))`

const rowsOf = (events: readonly OutboundEvent[]): Sql =>
  sql`unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ body }) => body)}::bytea[]) as e (id, body)`
