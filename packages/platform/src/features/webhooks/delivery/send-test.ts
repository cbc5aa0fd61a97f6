import { randomUUID } from 'node:crypto'
import { type DeliveryRecord, problems, TEST_EVENT } from '@storey/contract'
import { checkAddress } from '../subscriptions/check-subscription.ts'
import type { WebhookParts } from '../subscriptions/create-webhook.ts'
import { findTarget, noteWebhooks, type WebhookPlace } from '../subscriptions/webhooks.store.ts'
import { insertTested } from './deliveries.store.ts'
import { makeAttempt } from './make-attempt.ts'

/**
 * Sends the test event in one attempt, while the caller waits. The attempt is listed like any other, but counts neither
 * as a failure nor as a success.
 */
export async function sendTest(parts: WebhookParts, place: WebhookPlace): Promise<DeliveryRecord> {
  const { db, clock, outbound, vault } = parts
  const target = await findTarget(db, place)
  if (!target) throw problems.notFound('webhook')
  await checkAddress(outbound, target.url)
  const timestamp = clock.now().toISOString()
  const body = Buffer.from(JSON.stringify({ event: TEST_EVENT, data: { webhookId: target.id }, timestamp }))
  const [deliveryId, eventId, idempotencyKey] = [randomUUID(), randomUUID(), randomUUID()]
  const outcome = await makeAttempt(outbound, clock, {
    to: outbound.to(target.url),
    webhookId: target.id,
    signers: vault.open(target.id, target),
    idempotencyKey,
    attempt: 1,
    body,
  })
  const event = TEST_EVENT
  await db.transaction(async (tx) => {
    await insertTested(tx, { deliveryId, webhookId: target.id, eventId, event, body, idempotencyKey, outcome })
    await noteWebhooks(tx)
  })
  const { isSuccess, httpCode, responseBody, error, durationMs, attemptedAt } = outcome
  return {
    ...{ deliveryId, event, idempotencyKey, attempt: 1, status: isSuccess ? 'succeeded' : 'dead_letter' },
    ...{ httpCode, responseBody, error, durationMs },
    ...{ attemptedAt: attemptedAt.toISOString(), nextAttemptAt: null },
  }
}
