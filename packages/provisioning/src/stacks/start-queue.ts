import { availableParallelism, loadavg } from 'node:os'
import { createFairSlots } from '@storey/kit/fair-slots'

export interface StartQueueOptions {
  /** How many stacks start at a time. */
  maxStarting: number
  /** How many stacks start at a time for one client. The stack pool applies this limit. Absent: `maxStarting`. */
  perClient?: number
  /** A start that takes longer than this waits for something other than CPU time, so the next start begins. */
  holdMs: number | (() => number)
}

const HOLD_MS = 10_000
/** On an overloaded machine a long start does wait for CPU time, and another start beside it would slow down both. */
const OVERLOADED_HOLD_MS = 60_000
const OVERLOADED_FROM = 4 * availableParallelism()

/** A start takes up to 0.6 s of CPU time (ADR 40), so about as many run at a time as there are CPU cores. */
export const START_QUEUE: StartQueueOptions = {
  maxStarting: Math.max(2, availableParallelism()),
  holdMs: () => (loadavg()[0]! >= OVERLOADED_FROM ? OVERLOADED_HOLD_MS : HOLD_MS),
}

const PER_CLIENT = 8

/** The options of the queue for stacks that start on other machines. */
export const remoteStartQueue = (maxStarting: number): StartQueueOptions => ({
  ...START_QUEUE,
  maxStarting,
  perClient: Math.min(maxStarting, PER_CLIENT),
})

/**
 * Starts a few stacks at a time. If all started at the same time, as after a restart of the service, each would take as
 * long as all together and exceed its time limit. Owners take turns, so that an owner with many stacks does not delay
 * the others.
 */
export function createStartQueue({ maxStarting, holdMs }: StartQueueOptions = START_QUEUE) {
  const slots = createFairSlots({ perGroup: maxStarting, holdMs })
  return {
    /** Runs `start` when a slot is free. The signal ends the wait. */
    async run<T>(owner: string, start: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      signal?.throwIfAborted()
      const { promise: begun, resolve, reject } = Promise.withResolvers<() => void>()
      const endWait = slots.enter(owner, resolve)
      const onAbort = () => {
        endWait()
        reject(signal!.reason)
      }
      signal?.addEventListener('abort', onAbort)
      const leave = await begun.finally(() => signal?.removeEventListener('abort', onAbort))
      try {
        return await start()
      } finally {
        leave()
      }
    },
  }
}
