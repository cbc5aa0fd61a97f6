import Type, { type Static } from 'typebox'
import { closed } from './closed.ts'
import { pathId, Uuid } from './ids.ts'
import { LIMITS } from './limits.ts'
import { ListOf, Nullable, PageQuery } from './lists.ts'
import { Timestamp } from './timestamps.ts'

export const WEBHOOK_STATUSES = ['active', 'paused'] as const
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]
/**
 * A paused webhook becomes active when its status is set to active, or by `POST …/reset-failures`. A webhook that was
 * paused by failures also becomes active when an attempt succeeds.
 */
export const WEBHOOK_PAUSED_BY = ['failures', 'person'] as const

/** `check-subscription.ts` of the platform checks the names of events and refuses an unknown one with UNKNOWN_EVENT. */
const subscription = {
  url: Type.String({
    minLength: 1,
    maxLength: LIMITS.webhook.urlLength,
    description:
      'An https address, public or in a network that the operator allows; in development also http and loopback',
  }),
  events: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 100, description: 'Names of events' }),
}
export const NewWebhook = Type.Object(subscription, closed)
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookPatch = Type.Partial(
  Type.Object({
    ...subscription,
    status: Type.Enum([...WEBHOOK_STATUSES], { description: 'Setting active also resets consecutiveFailures' }),
  }),
  { ...closed, minProperties: 1 },
)
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookRecord = Type.Object(
  {
    id: Uuid,
    url: Type.String(),
    events: Type.Array(Type.String()),
    secret: Type.String({
      description: `Complete only in the response that creates the webhook or rotates the secret. Otherwise its first ${LIMITS.webhook.secretCharactersShown} characters and an ellipsis (…)`,
    }),
    status: Type.Enum([...WEBHOOK_STATUSES]),
    consecutiveFailures: Type.Integer({ minimum: 0 }),
    pausedAt: Nullable(Timestamp),
    pausedBy: Nullable(
      Type.Enum([...WEBHOOK_PAUSED_BY], {
        description:
          'failures: paused after consecutive failures; at most one event an hour is sent, as a probe. ' +
          'person: paused by setting the status',
      }),
    ),
    createdAt: Timestamp,
  },
  { $id: 'Webhook' },
)
export type WebhookRecord = Static<typeof WebhookRecord>
export const WebhookList = ListOf(WebhookRecord)
export const WebhookQuery = Type.Object(PageQuery, closed)
export const WebhookParams = Type.Object({ webhookId: pathId('webhook') })
export const DeliveryParams = Type.Object({ webhookId: pathId('webhook'), deliveryId: pathId('delivery') })

export const ATTEMPT_STATUSES = ['succeeded', 'failed', 'dead_letter'] as const

/** A record of one attempt of a delivery. */
export const DeliveryRecord = Type.Object(
  {
    deliveryId: Uuid,
    event: Type.String(),
    idempotencyKey: Type.String(),
    attempt: Type.Integer({ minimum: 1 }),
    status: Type.Enum([...ATTEMPT_STATUSES], {
      description: 'failed: another attempt follows; dead_letter: it was the last attempt',
    }),
    httpCode: Nullable(Type.Integer()),
    responseBody: Nullable(
      Type.String({ description: `The first ${LIMITS.webhook.responseCharacters} characters of the body` }),
    ),
    error: Nullable(Type.String({ description: 'Why there was no response' })),
    durationMs: Type.Integer({ minimum: 0 }),
    attemptedAt: Timestamp,
    nextAttemptAt: Nullable(Timestamp),
  },
  { $id: 'Delivery' },
)
export type DeliveryRecord = Static<typeof DeliveryRecord>
export const DeliveryList = ListOf(DeliveryRecord)

export const DELIVERY_STATES = ['pending', 'succeeded', 'dead_letter'] as const

/** What was sent, without the signatures: they are not stored. */
export const DeliveryRequest = Type.Object(
  {
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description:
        'The headers with the content type and the idempotency key. Each attempt also has the header user-agent, and ' +
        'headers with its signatures, its number and its time',
    }),
    body: Type.String({ description: `The body, at most its first ${LIMITS.webhook.shownBodyBytes} bytes` }),
    bodyBytes: Type.Integer({ minimum: 0, description: 'The size of the whole body' }),
  },
  { $id: 'DeliveryRequest' },
)
export type DeliveryRequest = Static<typeof DeliveryRequest>

/** A delivery, with the request that is sent and the attempts of the delivery. */
export const DeliveryDetail = Type.Object(
  {
    deliveryId: Uuid,
    event: Type.String(),
    idempotencyKey: Type.String(),
    state: Type.Enum([...DELIVERY_STATES], { description: 'pending: an attempt follows' }),
    createdAt: Timestamp,
    nextAttemptAt: Nullable(Timestamp),
    request: Type.Ref('DeliveryRequest'),
    attempts: Type.Array(Type.Ref('Delivery'), {
      description: `The last ${LIMITS.webhook.attemptsListed} attempts, the newest first`,
    }),
  },
  { $id: 'DeliveryDetail' },
)
export type DeliveryDetail = Omit<Static<typeof DeliveryDetail>, 'request' | 'attempts'> & {
  request: DeliveryRequest
  attempts: DeliveryRecord[]
}
export const Redelivery = Type.Object({ deliveryId: Uuid })

/** The body of a delivery, stored as bytes when the event happens. */
export interface DeliveryBody {
  event: string
  data: Record<string, unknown>
  timestamp: string
}

export const WEBHOOK_HEADERS = {
  signature: 'x-svc-signature',
  /** The signature with the previous secret, sent for a day after a rotation. */
  previousSignature: 'x-svc-signature-previous',
  idempotencyKey: 'x-svc-idempotency-key',
  attempt: 'x-svc-delivery-attempt',
  /** The headers of Standard Webhooks: the idempotency key, seconds since 1970, and `v1,<base64>` for each secret. */
  standardId: 'webhook-id',
  standardTimestamp: 'webhook-timestamp',
  standardSignature: 'webhook-signature',
} as const

/** The event of `POST …/test`. */
export const TEST_EVENT = 'webhook.test'
