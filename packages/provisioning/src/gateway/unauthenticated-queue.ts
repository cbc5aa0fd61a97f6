import { createFairSlots } from '@storey/kit/fair-slots'

/** A request or an upgrade in the queue. */
export interface Waiting {
  /** Closes when the request is answered, or when the connection of the upgrade is transferred or closed. */
  response: { once(event: 'close', listener: () => void): unknown }
  connection: { over: AbortSignal }
}

export interface UnauthenticatedQueueOptions {
  /** The maximum number of concurrent requests of one address. */
  perAddress: number
  /** A request that takes longer probably waits for another process, so its slot is given to the next request. */
  holdMs: number
}

export const UNAUTHENTICATED_QUEUE: UnauthenticatedQueueOptions = { perAddress: 16, holdMs: 1_000 }

/**
 * Queues unauthenticated requests by address and starts a few requests of each address at a time. So an address delays
 * the requests of other addresses only by a few requests, however many connections it has. Within an address,
 * credentials take turns, so clients that share the address delay each other by a few requests only. The gateway
 * appends the claim of a request (`claim.ts`) to the address, so requests of one client address with different claims
 * are queued separately.
 */
export function createUnauthenticatedQueue<T extends Waiting>(
  begin: (exchange: T) => void,
  { perAddress, holdMs }: UnauthenticatedQueueOptions = UNAUTHENTICATED_QUEUE,
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
    /** How many requests wait. */
    get size() {
      return slots.waiting
    },
  }
}
