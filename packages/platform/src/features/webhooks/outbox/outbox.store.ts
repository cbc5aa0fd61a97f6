import { LIMITS } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import type { OutboundEvent } from './outbound-event.ts'

export interface Wanted {
  /** Of the subscriptions: it moves when they do. */
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
 * Common table expressions that write events and queue a delivery for each subscription that wants one, where
 * `condition` holds; the last is named `queued`. The events are of one kind, building and moment. A subscription that
 * failures have paused gets one event an hour, as a probe: its row is locked, so that of two statements the second sees
 * that its hour has moved on. Active ones are held against a removal, which would leave a delivery to nobody.
 */
export function queued(events: readonly OutboundEvent[], condition: Sql): Sql {
  const { event, buildingId, createdAt } = events[0]!
  const probeAgainAt = new Date(createdAt.getTime() + LIMITS.webhook.probeAfterMs)
  // A probe planned for later than that was planned by a clock that has been put back since.
  const latestProbe = new Date(probeAgainAt.getTime() + 60_000)
  const wants = sql`(${condition}) and ${event} = any(events)
    and (building_ids is null or ${buildingId} = any(building_ids))`
  return sql`
    hearing as (
      select id from webhooks where ${wants} and status = 'active' for key share
    ),
    silent as (
      select id from webhooks where ${wants} and paused_by = 'failures' 
        and (probe_at <= ${createdAt} or probe_at > ${latestProbe})
      order by id for no key update
    ),
    told as (
      insert into outbound_events (id, event, body, created_at)
      select e.id, ${event}, e.body, ${createdAt}
      from unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ body }) => body)}::bytea[]) as e (id, body)
      where exists (select from hearing) or (e.id = ${events[0]!.id} and exists (select from silent))
      returning id
    ),
    probed as (
      update webhooks w set probe_at = ${probeAgainAt} from silent s where w.id = s.id returning w.id
    ),
    queued as (
      insert into webhook_deliveries
        (webhook_id, event_id, is_probe, most_attempts, next_attempt_at, created_at)
      select w.id, e.id, false, ${LIMITS.webhook.attempts}::integer, ${createdAt}::timestamptz, ${createdAt}::timestamptz
      from told e cross join hearing w
      union all
      select p.id, e.id, true, 1, ${createdAt}::timestamptz, ${createdAt}::timestamptz
      from told e cross join probed p where e.id = ${events[0]!.id}
      returning id
    )`
}
