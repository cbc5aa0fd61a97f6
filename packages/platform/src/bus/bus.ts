import type { BusEventName } from '@storey/contract'
import type { Log } from '@storey/kit/log'

export interface BusEvent {
  buildingId: string
  name: BusEventName
  fields: Record<string, unknown>
}

/** Hears the fields of an event. It must not hold the bus up: what takes time is done later. */
export type Listener = (event: BusEvent) => void

export interface SubscribeOptions {
  /** Only what other processes publish. Such a listener does not make anybody `hear`. */
  from?: 'others'
}

/** What happens in the buildings of a stack, for those of its own parts that want to know. */
export interface Bus {
  /** The fields are made only when somebody listens. */
  publish(buildingId: string, name: BusEventName, fields: () => Record<string, unknown>): void
  /** Whether anybody listens to what this process publishes. */
  hasSubscribers(name: BusEventName): boolean
  /** Returns a function that ends the subscription. */
  subscribe(name: BusEventName, listener: Listener, options?: SubscribeOptions): () => void
}

/** A bus that a stack opens and closes. */
export interface OpenBus extends Bus {
  /** From here on what other processes say of these buildings is heard too. */
  follow(buildingIds: readonly string[]): void
  close(): Promise<void>
}

/** Within one process: nobody else is there. */
export function createBus(log: Log): OpenBus {
  const listeners = createListeners(log)
  return {
    publish(buildingId, name, fields) {
      if (listeners.has(name)) listeners.tell({ buildingId, name, fields: fields() }, 'here')
    },
    hasSubscribers: listeners.has,
    subscribe: listeners.add,
    follow: () => undefined,
    close: async () => undefined,
  }
}

/** The listeners of this process. One that fails is logged, and keeps nothing from the others. */
export function createListeners(log: Log) {
  const toAll = new Map<BusEventName, Set<Listener>>()
  const toOthers = new Map<BusEventName, Set<Listener>>()
  const tellEach = (hearing: Set<Listener> | undefined, event: BusEvent) => {
    for (const listener of hearing ?? []) {
      try {
        listener(event)
      } catch (err) {
        log.error({ err, name: event.name }, 'a listener of the bus failed')
      }
    }
  }
  return {
    has: (name: BusEventName): boolean => (toAll.get(name)?.size ?? 0) > 0,
    tell(event: BusEvent, from: 'here' | 'others'): void {
      tellEach(toAll.get(event.name), event)
      if (from === 'others') tellEach(toOthers.get(event.name), event)
    },
    add(name: BusEventName, listener: Listener, { from }: SubscribeOptions = {}): () => void {
      const group = from === 'others' ? toOthers : toAll
      const hearing = group.get(name) ?? new Set()
      group.set(name, hearing.add(listener))
      return () => void hearing.delete(listener)
    },
  }
}
