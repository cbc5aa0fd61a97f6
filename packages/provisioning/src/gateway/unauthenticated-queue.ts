import { createFairSlots } from '@storey/kit/fair-slots'

/** A request or an upgrade in the queue. */
export interface Waiting {
  /** Closes when the request is answered, or the connection is transferred. */
  response: { once(event: 'close', listener: () => void): unknown }
  connection: { over: AbortSignal }
}

export interface StrangerQueueOptions {
  /** Concurrent requests of one address. */
  perAddress: number
  /** A request that takes longer waits for another process, so the next one may start. */
  holdMs: number
}

export const STRANGER_QUEUE: StrangerQueueOptions = { perAddress: 16, holdMs: 1_000 }

/**
 * Queues requests of strangers by address and starts a few of each at a time: however many connections an address has,
 * a caller's request waits behind a few of its requests, not behind all. Within an address credentials take turns: those
 * who share it wait for a few requests of each other.
 */
export function createStrangerQueue<T extends Waiting>(
  begin: (exchange: T) => void,
  { perAddress, holdMs }: StrangerQueueOptions = STRANGER_QUEUE,
) {
  const slots = createFairSlots({ perGroup: perAddress, holdMs })
  return {
    enter(address: string, exchange: T, credential = ''): void {
      const { response, connection } = exchange
      const start = (leave: () => void) => {
        if (connection.over.aborted) return leave()
        response.once('close', leave)
        begin(exchange)
      }
      response.once('close', slots.enter(credential, start, address))
    },
    /** How many wait. */
    get size() {
      return slots.waiting
    },
  }
}
