import { type Queryable, sql } from '@storey/kit/database'
import type { Outcome } from './make-attempt.ts'
import { pauseOrResume } from './pause.store.ts'

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
 * Writes the results of attempts, in the order in which the attempts ended. Inserts the attempts, and updates the
 * deliveries and the state of the webhooks (`pause.store.ts`). Rows whose lease another process took over are skipped.
 * To avoid deadlocks, the webhooks are locked in the order of their ids, and before the deliveries, as when a webhook
 * is deleted.
 *
 * Commits asynchronously: if a server crash undoes a result, its delivery is sent again.
 */
export async function recordResults(db: Queryable, results: readonly Result[], now: Date): Promise<void> {
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
      -- With this array of ids the planner uses the primary key. With the join alone it would read all pending rows.
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
    ${pauseOrResume(now)}`)
}

/**
 * Deletes deliveries that succeeded, instead of writing their results, because no list shows their attempts
 * (`split-results.ts`). Also deletes the events that have no other delivery. Locks the webhooks first, and skips rows
 * whose lease was taken over, as `recordResults` does. If two processes delete the last two deliveries of an event
 * at the same time, `retention.ts` deletes the event.
 *
 * Commits asynchronously: if a server crash undoes a deletion, the delivery is sent again.
 */
export async function deleteDelivered(db: Queryable, results: readonly Result[]): Promise<void> {
  for (const own of Map.groupBy(results, ({ leasedUntil }) => leasedUntil.getTime()).values()) {
    await db.run(sql`
      with relaxed as (select set_config('synchronous_commit', 'off', true)),
      kept as (
        select id from webhooks where id = any(${[...new Set(own.map(({ webhookId }) => webhookId))]}::uuid[])
        order by id for key share
      ),
      gone as (
        delete from webhook_deliveries d using kept
        -- Searches the index for each id, here and below. Given the ids alone, the planner may read the whole table.
        where d.ctid = any(array(
            select found.ctid from unnest(${own.map(({ deliveryId }) => deliveryId)}::uuid[]) as given (id)
              cross join lateral (select ctid from webhook_deliveries where id = given.id limit 1) found
          ))
          and d.webhook_id = kept.id and d.leased_until = ${own[0]!.leasedUntil}
        returning d.id, d.event_id
      )
      delete from outbound_events e using relaxed where e.ctid = any(array(
        select found.ctid from gone cross join lateral (
          select ctid from outbound_events where id = gone.event_id and not exists (
            select from webhook_deliveries d where d.event_id = gone.event_id and d.id not in (select id from gone)
          ) limit 1
        ) found
      ))`)
  }
}

function statusOf({ outcome, nextAttemptAt }: Result): string {
  if (outcome.isSuccess) return 'succeeded'
  return nextAttemptAt === null ? 'dead_letter' : 'failed'
}
