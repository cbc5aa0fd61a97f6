import { LIMITS } from '@storey/contract'
import { type Queryable, sql } from '@storey/kit/database'
import type { Outcome } from './make-attempt.ts'

export interface Result {
  deliveryId: string
  webhookId: string
  attempt: number
  /** The end of the lease under which the attempt was made. */
  leasedUntil: Date
  outcome: Outcome
  /** null: there is no further attempt. */
  nextAttemptAt: Date | null
}

/**
 * Writes the results of attempts, in the order in which they ended: the attempts, the deliveries, and the state of the
 * subscriptions. Rows whose lease another worker took over are skipped. Subscriptions are locked first and in order, as
 * a removal locks them, which avoids deadlocks.
 *
 * Commits asynchronously: a result that a server crash undoes is a delivery that is sent again.
 */
export async function recordResults(db: Queryable, results: readonly Result[], now: Date): Promise<void> {
  const { failuresToPause, probeAfterMs } = LIMITS.webhook
  const probeAt = new Date(now.getTime() + probeAfterMs)
  const column = <T>(value: (result: Result) => T) => results.map(value)
  await db.run(sql`
    with relaxed as (select set_config('synchronous_commit', 'off', true)),
    given as (
      select * from unnest(
        ${column((r) => r.deliveryId)}::uuid[], ${column((r) => r.webhookId)}::uuid[],
        ${column((r) => r.attempt)}::integer[], ${column((r) => r.leasedUntil)}::timestamptz[],
        ${column(statusOf)}::text[], ${column((r) => r.outcome.httpCode)}::integer[],
        ${column((r) => r.outcome.responseBody)}::text[], ${column((r) => r.outcome.error)}::text[],
        ${column((r) => r.outcome.durationMs)}::integer[], ${column((r) => r.outcome.attemptedAt)}::timestamptz[],
        ${column((r) => r.nextAttemptAt)}::timestamptz[]
      ) with ordinality as g (delivery_id, webhook_id, attempt, leased_until, status, http_code, response_body, error,
        duration_ms, attempted_at, next_attempt_at, place)
    ),
    kept as (
      select id, consecutive_failures, paused_by, paused_at, probe_at from webhooks
      where id in (select webhook_id from given) order by id for no key update
    ),
    done as (
      update webhook_deliveries d set leased_until = null,
        state = case g.status when 'failed' then 'pending' else g.status end,
        next_attempt_at = coalesce(g.next_attempt_at, d.next_attempt_at)
      from given g join kept on kept.id = g.webhook_id cross join relaxed
      -- With the array the planner uses the primary key, where the join alone would read all that is pending.
      where d.id = any(${column((r) => r.deliveryId)}::uuid[]) and d.id = g.delivery_id
        and d.leased_until = g.leased_until
      returning g.*
    ),
    noted as (
      insert into webhook_attempts (delivery_id, webhook_id, attempt, status, http_code, response_body, error,
        duration_ms, attempted_at, next_attempt_at)
      select delivery_id, webhook_id, attempt, status, http_code, response_body, error, duration_ms, attempted_at,
        next_attempt_at
      from done order by place
    ),
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
    from after a where w.id = a.id`)
}

/**
 * Deletes deliveries that succeeded instead of writing their results, because no list shows them. Returns the ids of
 * their events. Locks the subscriptions first, and skips rows whose lease was taken over, as `recordResults` does.
 *
 * Commits asynchronously, for the same reason.
 */
export async function deleteDelivered(db: Queryable, results: readonly Result[]): Promise<string[]> {
  const eventIds: string[] = []
  for (const own of Map.groupBy(results, ({ leasedUntil }) => leasedUntil.getTime()).values()) {
    const rows = await db.rows<{ eventId: string }>(sql`
      with relaxed as (select set_config('synchronous_commit', 'off', true)),
      kept as (
        select id from webhooks where id = any(${[...new Set(own.map(({ webhookId }) => webhookId))]}::uuid[])
        order by id for key share
      )
      delete from webhook_deliveries d using kept, relaxed
      where d.id = any(${own.map(({ deliveryId }) => deliveryId)}::uuid[]) and d.webhook_id = kept.id
        and d.leased_until = ${own[0]!.leasedUntil}
      returning d.event_id as "eventId"`)
    for (const { eventId } of rows) eventIds.push(eventId)
  }
  return eventIds
}

function statusOf({ outcome, nextAttemptAt }: Result): string {
  if (outcome.isSuccess) return 'succeeded'
  return nextAttemptAt === null ? 'dead_letter' : 'failed'
}
