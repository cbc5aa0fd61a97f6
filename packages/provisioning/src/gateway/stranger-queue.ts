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
  /** By credential, in the order of turns; each in order of arrival. A client that disconnects is removed. */
  waiting: Map<string, Set<T>>
}

/**
 * Queues requests of strangers by address and starts a few of each at a time: however many connections an address has,
 * a caller's request waits behind a few of its requests, not behind all. Within an address credentials take turns: those
 * who share it wait for a few requests of each other.
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
    for (const [credential, those] of queue.waiting) {
      if (queue.under >= perAddress) break
      const [exchange] = those
      remove(queue, credential, exchange!)
      // The next turn is after those of all others.
      if (queue.waiting.delete(credential)) queue.waiting.set(credential, those)
      if (!exchange!.connection.over.aborted) start(address, queue, exchange!)
    }
    if (queue.under === 0 && queue.waiting.size === 0) queues.delete(address)
  }

  function remove(queue: AddressQueue<T>, credential: string, exchange: T): void {
    const those = queue.waiting.get(credential)
    if (those?.delete(exchange) && those.size === 0) queue.waiting.delete(credential)
  }

  return {
    enter(address: string, exchange: T, credential = ''): void {
      const queue: AddressQueue<T> = queues.get(address) ?? { under: 0, waiting: new Map() }
      queues.set(address, queue)
      queue.waiting.set(credential, (queue.waiting.get(credential) ?? new Set()).add(exchange))
      exchange.response.once('close', () => remove(queue, credential, exchange))
      next(address, queue)
    },
    /** How many wait. */
    get size() {
      const sets = [...queues.values()].flatMap(({ waiting }) => [...waiting.values()])
      return sets.reduce((sum, those) => sum + those.size, 0)
    },
  }
}
