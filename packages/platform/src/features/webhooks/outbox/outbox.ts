import type { Database, Queryable, Tx } from '@storey/kit/database'
import type { OutboundEvent } from './outbound-event.ts'
import { insertOutbound, readWanted, type Wanted } from './outbox.store.ts'

/**
 * Events for webhooks, written in the transaction of what happened: they are queued if and only if the transaction
 * commits. The dispatcher, which sends them, is not part of the outbox.
 */
export interface Outbox {
  /** The events that have subscribers, possibly cached. */
  wanted(): Promise<Wanted>
  /** The events that have subscribers, read from the database now. */
  refreshed(): Promise<Wanted>
  /** Queues the event for its subscribers. `sent` must be called after the commit. */
  put(tx: Tx, event: OutboundEvent): Promise<void>
  /** Reports that something was queued and committed. */
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
