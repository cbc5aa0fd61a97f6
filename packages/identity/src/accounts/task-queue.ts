import { createFairQueue } from '@storey/kit/fair-queue'

/** The owner of a waiting task. */
export interface Waiter {
  /** Waiting tasks take turns by this key, such as a network, a browser or an organization. */
  key: string
  /** True for a browser in which the account has signed in before, and for requests that are authenticated already. */
  isKnown: boolean
  /** Any number of tasks of this owner may wait, because the requests that cause them are limited elsewhere. */
  isUnlimited?: true
}

/** Too many tasks with the same key wait. */
export class TooManyWaiting extends Error {}

export interface TaskQueueOptions {
  /** The maximum number of concurrent tasks. */
  concurrency: number
  /** The maximum number of waiting tasks with one key. */
  maxWaiting: number
}

/**
 * Runs a few tasks at a time. Waiting tasks take turns by key. While tasks of known waiters wait, every second turn is
 * theirs. If one network has many waiting tasks, these tasks delay mainly each other: before the first task of another
 * network, only one of them starts.
 */
export function createTaskQueue({ concurrency, maxWaiting }: TaskQueueOptions) {
  const unknown = createFairQueue<() => void>()
  const known = createFairQueue<() => void>()
  const queueOf = ({ isKnown }: Waiter) => (isKnown ? known : unknown)
  let running = 0
  let wasKnown = false

  function takeNext(): (() => void) | undefined {
    wasKnown = known.size > 0 && (!wasKnown || unknown.size === 0)
    return (wasKnown ? known : unknown).take()
  }

  const isFull = (waiter: Waiter): boolean =>
    waiter.isUnlimited !== true && queueOf(waiter).countOf(waiter.key) >= maxWaiting

  function wait(waiter: Waiter): Promise<void> {
    if (isFull(waiter)) throw new TooManyWaiting()
    return new Promise((resolve) => queueOf(waiter).add(waiter.key, resolve))
  }

  return {
    /** True if a task of this waiter would be refused now. */
    isFull,
    /** Throws TooManyWaiting if `isFull(waiter)`. */
    async run<T>(waiter: Waiter, work: () => Promise<T>): Promise<T> {
      if (running >= concurrency) await wait(waiter)
      else running++
      try {
        return await work()
      } finally {
        const start = takeNext()
        if (start) start()
        else running--
      }
    },
  }
}
