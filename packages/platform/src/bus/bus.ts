import type { EventName } from '@storey/contract'
import type { Log } from '@storey/kit/log'

/** Hears the fields of an event. It must not hold the bus up: what takes time is done later. */
export type Listener = (event: { buildingId: string; name: EventName; fields: Record<string, unknown> }) => void

/** What happens in the buildings of a stack, for those of its own parts that want to know. */
export interface Bus {
  /** The fields are made only when somebody listens. */
  publish(buildingId: string, name: EventName, fields: () => Record<string, unknown>): void
  /** Whether anybody listens. */
  hears(name: EventName): boolean
  /** Returns a function that ends the subscription. */
  subscribe(name: EventName, listener: Listener): () => void
}

export function createBus(log: Log): Bus {
  const listeners = new Map<EventName, Set<Listener>>()
  return {
    publish(buildingId, name, fields) {
      const hearing = listeners.get(name)
      if (hearing === undefined || hearing.size === 0) return
      const event = { buildingId, name, fields: fields() }
      for (const listener of hearing) {
        try {
          listener(event)
        } catch (err) {
          log.error({ err, name }, 'a listener of the bus failed')
        }
      }
    },
    hears: (name) => (listeners.get(name)?.size ?? 0) > 0,
    subscribe(name, listener) {
      const hearing = listeners.get(name) ?? new Set()
      listeners.set(name, hearing.add(listener))
      return () => void hearing.delete(listener)
    },
  }
}
