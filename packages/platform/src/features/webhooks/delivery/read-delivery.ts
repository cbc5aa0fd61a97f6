import { type DeliveryDetail, LIMITS, problems, WEBHOOK_HEADERS } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import type { WebhookPlace } from '../subscriptions/webhooks.store.ts'
import { findDelivery, listAttemptsOf } from './deliveries.store.ts'
import { CONTENT_TYPE } from './delivery-headers.ts'

/** A delivery with its request and its attempts. The request is without signatures: each attempt has its own. */
export async function readDelivery(db: Database, place: WebhookPlace, deliveryId: string): Promise<DeliveryDetail> {
  const found = await findDelivery(db, place, deliveryId, LIMITS.webhook.shownBodyBytes)
  if (!found) throw problems.notFound('delivery')
  const { body, bodyBytes, createdAt, nextAttemptAt, ...delivery } = found
  const { idempotencyKey, state } = delivery
  return {
    ...delivery,
    createdAt: createdAt.toISOString(),
    nextAttemptAt: state === 'pending' ? nextAttemptAt.toISOString() : null,
    request: {
      headers: [
        { name: 'content-type', value: CONTENT_TYPE },
        { name: WEBHOOK_HEADERS.idempotencyKey, value: idempotencyKey },
        { name: WEBHOOK_HEADERS.standardId, value: idempotencyKey },
      ],
      body: textOf(body),
      bodyBytes,
    },
    attempts: await listAttemptsOf(db, delivery.deliveryId),
  }
}

/** Decodes a body. If the body was cut inside a character, that character is left out. */
const textOf = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true })
