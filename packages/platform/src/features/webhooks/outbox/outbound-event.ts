import { randomUUID } from 'node:crypto'
import type { DeliveryBody, WebhookEvent } from '@storey/contract'

/** An event with the bytes that every subscriber gets, on every attempt. */
export interface OutboundEvent {
  id: string
  event: WebhookEvent
  buildingId: string
  body: Buffer
  createdAt: Date
}

/** Every outbound event belongs to a building. */
export type OutboundFields = { buildingId: string } & Record<string, unknown>

/** An event whose body is the event's name, the data and the time. */
export function outboundEvent(event: WebhookEvent, data: OutboundFields, at: Date): OutboundEvent {
  const body: DeliveryBody = { event, data, timestamp: at.toISOString() }
  const { buildingId } = data
  return { id: randomUUID(), event, buildingId, body: Buffer.from(JSON.stringify(body)), createdAt: at }
}
