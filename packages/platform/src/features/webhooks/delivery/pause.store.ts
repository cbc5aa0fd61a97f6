import { LIMITS } from '@storey/contract'
import { type Sql, sql } from '@storey/kit/database'

/**
 * The last part of the SQL statement in `recordResults`. Counts the consecutive failures of each subscription, and
 * pauses a subscription at the limit. A success resets the count, and makes a subscription active again if failures
 * have paused it. While failures have paused a subscription, only one new event an hour is queued for it, as a probe
 * (`outbox/outbox.store.ts`). A subscription that a person has paused stays paused. Reads the table expressions `kept`
 * (the subscriptions as they were) and `done` (the attempts, in order). The route `reset-failures` makes a subscription
 * active at once (`activateWebhook` in subscriptions/webhooks.store.ts).
 */
export function pauseOrResume(now: Date): Sql {
  const { failuresToPause, probeAfterMs } = LIMITS.webhook
  const probeAt = new Date(now.getTime() + probeAfterMs)
  return sql`
    counted as (
      select webhook_id, last_success > 0 as has_success, count(*) filter (where place > last_success) as failures
      from (
        select webhook_id, place,
          coalesce(max(place) filter (where status = 'succeeded') over (partition by webhook_id), 0) as last_success
        from done
      ) placed group by webhook_id, last_success
    ),
    -- A success resets the failures before it.
    before as (
      select k.id, c.failures, k.paused_by = 'person' as is_stopped,
        case when c.has_success then 0 else k.consecutive_failures end + c.failures as in_a_row,
        case when c.has_success and k.paused_by = 'failures' then null else k.paused_at end as paused_at,
        case when c.has_success then null else k.probe_at end as probe_at
      from kept k join counted c on c.webhook_id = k.id
      where c.failures > 0 or k.consecutive_failures > 0 or k.paused_by = 'failures'
    ),
    after as (
      select *, case when is_stopped then 'person'
        when paused_at is not null or in_a_row >= ${failuresToPause} then 'failures' end as paused_by
      from before
    )
    update webhooks w set consecutive_failures = a.in_a_row, paused_by = a.paused_by,
      status = case when a.paused_by is null then 'active' else 'paused' end,
      paused_at = case when a.paused_by is not null then coalesce(a.paused_at, ${now}) end,
      probe_at = case when a.paused_by = 'failures' then coalesce(a.probe_at, ${probeAt}) end
    from after a where w.id = a.id`
}
