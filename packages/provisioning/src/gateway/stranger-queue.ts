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

interface AddressQueue<T> {
  under: number
  /** In order of arrival. A client that disconnects is removed. */
  waiting: Set<T>
}

/**
 * Queues requests of strangers by address and starts a few of each at a time: however many connections an address has,
 * a caller's request waits behind a few of its requests, not behind all.
 */
export function createStrangerQueue<T extends Waiting>(
  begin: (exchange: T) => void,
  { perAddress, holdMs }: StrangerQueueOptions = STRANGER_QUEUE,
) {
  const queues = new Map<string, AddressQueue<T>>()

  function start(address: string, queue: AddressQueue<T>, exchange: T): void {
    queue.under++
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      queue.under--
      next(address, queue)
    }
    const timer = setTimeout(leave, holdMs)
    exchange.response.once('close', leave)
    begin(exchange)
  }

  function next(address: string, queue: AddressQueue<T>): void {
    for (const exchange of queue.waiting) {
      if (queue.under >= perAddress) break
      queue.waiting.delete(exchange)
      if (!exchange.connection.over.aborted) start(address, queue, exchange)
    }
    if (queue.under === 0 && queue.waiting.size === 0) queues.delete(address)
  }

  return {
    enter(address: string, exchange: T): void {
      const queue: AddressQueue<T> = queues.get(address) ?? { under: 0, waiting: new Set() }
      queues.set(address, queue)
      queue.waiting.add(exchange)
      exchange.response.once('close', () => queue.waiting.delete(exchange))
      next(address, queue)
    },
    /** How many wait. */
    get size() {
      return [...queues.values()].reduce((sum, { waiting }) => sum + waiting.size, 0)
    },
  }
}
