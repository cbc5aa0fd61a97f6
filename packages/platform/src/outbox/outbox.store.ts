import { LIMITS } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import type { OutboundEvent } from './outbox.ts'

export interface Wanted {
  /** Of the subscriptions: it moves when they do. */
  version: number
  events: ReadonlySet<string>
}

export async function readWanted(db: Queryable): Promise<Wanted> {
  const row = await db.row<{ version: number; events: string[] }>(sql`
    select version, array(
      select distinct unnest(events) from webhooks where coalesce(paused_by, '') <> 'person'
    ) as events from webhooks_version`)
  return { version: row!.version, events: new Set(row!.events) }
}

export async function insertOutbound(db: Queryable, event: OutboundEvent): Promise<void> {
  await db.run(sql`with ${queued([event], sql`true`)} select count(*) from queued`)
}

/**
 * Common table expressions that write events and queue a delivery for each subscription that wants one, where
 * `condition` holds; the last is named `queued`. A subscription that failures have paused gets one event an hour, as a
 * probe: the update that moves its hour on lets one statement through at a time, and the first of its events.
 */
export function queued(events: readonly OutboundEvent[], condition: Sql): Sql {
  const { event, createdAt } = events[0]!
  const probeAgainAt = new Date(createdAt.getTime() + LIMITS.webhook.probeAfterMs)
  return sql`
    told as (
      insert into outbound_events (id, event, body, created_at)
      select e.id, ${event}, e.body, ${createdAt}
      from unnest(${events.map(({ id }) => id)}::uuid[], ${events.map(({ body }) => body)}::bytea[]) as e (id, body)
      where (${condition}) and exists (
        select from webhooks where ${event} = any(events)
          and (status = 'active' or (paused_by = 'failures' and probe_at <= ${createdAt}))
      )
      returning id
    ),
    probed as (
      update webhooks set probe_at = ${probeAgainAt}
      where paused_by = 'failures' and probe_at <= ${createdAt} and ${event} = any(events) and exists (select from told)
      returning id
    ),
    queued as (
      insert into webhook_deliveries
        (webhook_id, event_id, is_probe, most_attempts, next_attempt_at, created_at)
      select w.id, e.id, false, ${LIMITS.webhook.attempts}::integer, ${createdAt}::timestamptz, ${createdAt}::timestamptz
      from told e cross join webhooks w where w.status = 'active' and ${event} = any(w.events)
      union all
      select id, ${events[0]!.id}::uuid, true, 1, ${createdAt}::timestamptz, ${createdAt}::timestamptz from probed
      returning id
    )`
}
