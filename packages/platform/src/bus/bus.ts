import type { BusEventName } from '@storey/contract'
import type { Log } from '@storey/kit/log'

export interface BusEvent {
  buildingId: string
  name: BusEventName
  fields: Record<string, unknown>
}

/** Receives an event. A listener must return quickly: it does longer work later. */
export type Listener = (event: BusEvent) => void

export interface SubscribeOptions {
  /** The listener is called only for events of other processes. Such a listener does not count for `hasSubscribers`. */
  from?: 'others'
}

/** The events of the buildings of a stack, for the parts of the stack that subscribe to them. */
export interface Bus {
  /** Calls `fields` only if the event could have a subscriber. */
  publish(buildingId: string, name: BusEventName, fields: () => Record<string, unknown>): void
  /** Whether an event of this process could have a subscriber: with NATS connected, also one in another process. */
  hasSubscribers(name: BusEventName): boolean
  /** Returns a function that ends the subscription. */
  subscribe(name: BusEventName, listener: Listener, options?: SubscribeOptions): () => void
}

/** A bus that a stack opens and closes. */
export interface OpenBus extends Bus {
  /** From this call on, listeners get the events of these buildings from other processes, too. */
  follow(buildingIds: readonly string[]): void
  /** Resolves when this process and the other processes receive each other’s events, or after the limit. */
  untilConnected(limitMs: number): Promise<void>
  /** Whether NATS is connected; null without NATS. */
  isConnected(): boolean | null
  close(): Promise<void>
}

/** A bus within one process. */
export function createBus(log: Log): OpenBus {
  const listeners = createListeners(log)
  return {
    publish(buildingId, name, fields) {
      if (listeners.has(name)) listeners.notify({ buildingId, name, fields: fields() }, 'here')
    },
    hasSubscribers: listeners.has,
    subscribe: listeners.add,
    follow: () => undefined,
    untilConnected: async () => undefined,
    isConnected: () => null,
    close: async () => undefined,
  }
}

/** The listeners of this process. If one fails, the error is logged and the others are still called. */
export function createListeners(log: Log) {
  const toAll = new Map<BusEventName, Set<Listener>>()
  const toOthers = new Map<BusEventName, Set<Listener>>()
  const notifyEach = (group: Set<Listener> | undefined, event: BusEvent) => {
    for (const listener of group ?? []) {
      try {
        listener(event)
      } catch (err) {
        log.error({ err, name: event.name }, 'bus listener failed')
      }
    }
  }
  return {
    has: (name: BusEventName): boolean => (toAll.get(name)?.size ?? 0) > 0,
    notify(event: BusEvent, from: 'here' | 'others'): void {
      notifyEach(toAll.get(event.name), event)
      if (from === 'others') notifyEach(toOthers.get(event.name), event)
    },
    add(name: BusEventName, listener: Listener, { from }: SubscribeOptions = {}): () => void {
      const groups = from === 'others' ? toOthers : toAll
      const group = groups.get(name) ?? new Set()
      groups.set(name, group.add(listener))
      return () => void group.delete(listener)
    },
  }
}
