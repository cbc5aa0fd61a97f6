import { Problem, problems } from '@storey/contract'
import type { WebhookParts } from '../subscriptions/create-webhook.ts'
import type { WebhookPlace } from '../subscriptions/webhooks.store.ts'
import { lockDelivery, makeDue } from './deliveries.store.ts'

/** Queues the delivery again, with the same body and idempotency key. A pending delivery is sent now. */
export async function redeliver(parts: WebhookParts, place: WebhookPlace, deliveryId: string): Promise<void> {
  const { db, clock, onChange } = parts
  const now = clock.now()
  await db.transaction(async (tx) => {
    const delivery = await lockDelivery(tx, place, deliveryId, now)
    if (!delivery) throw problems.notFound('delivery')
    if (delivery.pausedBy === 'person') {
      throw new Problem('CONFLICT', 'The webhook is paused: set its status to active first')
    }
    if (delivery.isBeingSent) throw new Problem('CONFLICT', 'The delivery is being sent at this moment')
    await makeDue(tx, deliveryId, now)
  })
  onChange(place.webhookId)
}
