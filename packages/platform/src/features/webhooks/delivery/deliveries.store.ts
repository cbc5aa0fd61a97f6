import { type DeliveryDetail, type DeliveryRecord, LIMITS } from '@storey/contract'
import { type Queryable, type Sql, sql } from '@storey/kit/database'
import { isUuid } from '../../../graph/index.ts'
import { isWebhook, type WebhookPlace } from '../subscriptions/webhooks.store.ts'
import { latestLease } from './leases.ts'
import type { Outcome } from './make-attempt.ts'

type AttemptRow = Omit<DeliveryRecord, 'attemptedAt' | 'nextAttemptAt'> & {
  attemptedAt: Date
  nextAttemptAt: Date | null
}

/** The last attempts of a webhook, the newest first. */
export const listAttempts = (db: Queryable, webhookId: string): Promise<DeliveryRecord[]> =>
  listWhere(db, sql`a.webhook_id = ${webhookId}`)

/** The last attempts of a delivery, the newest first. */
export const listAttemptsOf = (db: Queryable, deliveryId: string): Promise<DeliveryRecord[]> =>
  listWhere(db, sql`a.delivery_id = ${deliveryId}`)

async function listWhere(db: Queryable, where: Sql): Promise<DeliveryRecord[]> {
  const rows = await db.rows<AttemptRow>(sql`
    select a.delivery_id as "deliveryId", e.event, d.idempotency_key as "idempotencyKey", a.attempt, a.status,
      a.http_code as "httpCode", a.response_body as "responseBody", a.error, a.duration_ms as "durationMs",
      a.attempted_at as "attemptedAt", a.next_attempt_at as "nextAttemptAt"
    from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
      join outbound_events e on e.id = d.event_id
    where ${where} order by a.attempted_at desc, a.id desc limit ${LIMITS.webhook.attemptsListed}`)
  return rows.map(({ attemptedAt, nextAttemptAt, ...row }) => ({
    ...row,
    attemptedAt: attemptedAt.toISOString(),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
  }))
}

type StoredDelivery = Pick<DeliveryDetail, 'deliveryId' | 'event' | 'idempotencyKey' | 'state'> & {
  createdAt: Date
  nextAttemptAt: Date
  /** The first bytes of the body. */
  body: Buffer
  bodyBytes: number
}

export async function findDelivery(
  db: Queryable,
  place: WebhookPlace,
  deliveryId: string,
  maxBytes: number,
): Promise<StoredDelivery | undefined> {
  if (!isUuid(deliveryId)) return undefined
  return db.row<StoredDelivery>(sql`
    select d.id as "deliveryId", e.event, d.idempotency_key as "idempotencyKey", d.state, d.created_at as "createdAt",
      d.next_attempt_at as "nextAttemptAt", substring(e.body from 1 for ${maxBytes}::integer) as body,
      octet_length(e.body) as "bodyBytes"
    from webhook_deliveries d join webhooks on webhooks.id = d.webhook_id join outbound_events e on e.id = d.event_id
    where d.id = ${deliveryId} and ${isWebhook(place)}`)
}

export type DeliveryNow = {
  state: 'pending' | 'succeeded' | 'dead_letter'
  isBeingSent: boolean
  pausedBy: 'failures' | 'person' | null
}

/** Locks the delivery; undefined when it does not exist. */
export async function lockDelivery(
  db: Queryable,
  place: WebhookPlace,
  deliveryId: string,
  at: Date,
): Promise<DeliveryNow | undefined> {
  if (!isUuid(deliveryId)) return undefined
  return db.row<DeliveryNow>(sql`
    select d.state, webhooks.paused_by as "pausedBy",
      coalesce(d.leased_until > ${at} and d.leased_until <= ${latestLease(at)}, false) as "isBeingSent"
    from webhook_deliveries d join webhooks on webhooks.id = d.webhook_id
    where d.id = ${deliveryId} and ${isWebhook(place)} for update of d`)
}

/** Makes a delivery due immediately: the next attempt of a pending delivery, or one more attempt of an ended one. */
export async function makeDue(db: Queryable, deliveryId: string, at: Date): Promise<void> {
  await db.run(sql`
    update webhook_deliveries set state = 'pending', next_attempt_at = ${at},
      max_attempts = case state when 'pending' then max_attempts else attempts + 1 end
    where id = ${deliveryId}`)
}

export interface TestedDelivery {
  deliveryId: string
  webhookId: string
  eventId: string
  event: string
  body: Buffer
  idempotencyKey: string
  outcome: Outcome
}

/**
 * Writes the event, the delivery and the attempt of a test event that was sent. The attempt counts neither as a failure
 * nor as a success.
 */
export async function insertTested(db: Queryable, tested: TestedDelivery): Promise<void> {
  const { deliveryId, webhookId, eventId, event, body, idempotencyKey, outcome } = tested
  const { isSuccess, httpCode, responseBody, error, durationMs, attemptedAt: at } = outcome
  const state = isSuccess ? 'succeeded' : 'dead_letter'
  await db.run(sql`
    with webhook as (select id from webhooks where id = ${webhookId} for key share),
    test_event as (
      insert into outbound_events (id, event, body, created_at) select ${eventId}, ${event}, ${body}, ${at} from webhook
    ),
    delivery as (
      insert into webhook_deliveries (id, webhook_id, event_id, idempotency_key, state, attempts, max_attempts,
        next_attempt_at, created_at)
      select ${deliveryId}, id, ${eventId}, ${idempotencyKey}, ${state}, 1, 1, ${at}::timestamptz, ${at}::timestamptz
      from webhook
    )
    insert into webhook_attempts (delivery_id, webhook_id, attempt, status, http_code, response_body, error, duration_ms,
      attempted_at)
    select ${deliveryId}, id, 1, ${state}, ${httpCode}::integer, ${responseBody}, ${error}, ${durationMs}::integer, ${at}
    from webhook`)
}
