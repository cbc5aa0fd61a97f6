import { randomUUID } from 'node:crypto'
import type { DeliveryBody, WebhookEvent } from '@storey/contract'
import type { Database, Queryable, Tx } from '@storey/kit/database'
import type { OutboundEvent } from './outbound-event.ts'
import { insertOutbound, readWanted, type Wanted } from './outbox.store.ts'

/**
 * What is to be told outside, written in the transaction of what happened: it is told if that is committed, and only
 * then. Who sends it is not known here.
 */
export interface Outbox {
  /** The events somebody subscribes to, as far as this process knows. */
  wanted(): Promise<Wanted>
  /** The same, read anew. */
  refreshed(): Promise<Wanted>
  /** Queues the event for all who want it. `sent` must be called after the commit. */
  put(tx: Tx, event: OutboundEvent): Promise<void>
  /** Something was queued and committed. */
  sent(): void
  onSent(listener: () => void): void
}

export function createOutbox(db: Database): Outbox {
  let known: Promise<Wanted> | undefined
  const listeners = new Set<() => void>()
  const refreshed = () => {
    const reading = readWanted(db)
    known = reading
    reading.catch(() => {
      if (known === reading) known = undefined
    })
    return reading
  }
  return {
    wanted: () => known ?? refreshed(),
    refreshed,
    put: (tx: Queryable, event) => insertOutbound(tx, event),
    sent() {
      for (const listener of listeners) listener()
    },
    onSent: (listener) => void listeners.add(listener),
  }
}

/** Every event outside is of a building. */
export type OutboundFields = { buildingId: string } & Record<string, unknown>

export function outboundEvent(event: WebhookEvent, data: OutboundFields, at: Date): OutboundEvent {
  const body: DeliveryBody = { event, data, timestamp: at.toISOString() }
  const { buildingId } = data
  return { id: randomUUID(), event, buildingId, body: Buffer.from(JSON.stringify(body)), createdAt: at }
}
