import type { WebhookEvent } from '@storey/contract'

/** An event with the bytes that every subscriber gets, on every attempt. */
export interface OutboundEvent {
  id: string
  event: WebhookEvent
  buildingId: string
  body: Buffer
  createdAt: Date
}
