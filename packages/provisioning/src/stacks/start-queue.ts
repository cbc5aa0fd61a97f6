import { availableParallelism } from 'node:os'
import { problems } from '@storey/contract'

export interface StartQueueOptions {
  /** How many stacks start at a time. */
  maxStarting: number
  /** A start that takes longer is not limited by CPU, so the next one begins. */
  holdMs: number
}

const RETRY_S = 3

/** A start takes a second of CPU time and must end within its limit. */
export const START_QUEUE: StartQueueOptions = { maxStarting: Math.max(2, availableParallelism()), holdMs: 10_000 }

interface Waiter {
  sandboxId: string
  begin(): void
  refuse(err: Error): void
}

/**
 * Starts a few stacks at a time, in the order of requests. If all started at the same time, as after a restart of the service,
 * each would take as long as all together and exceed its limit.
 */
export function createStartQueue({ maxStarting, holdMs }: StartQueueOptions = START_QUEUE) {
  const waiters: Waiter[] = []
  let starting = 0

  function beginNext(): void {
    while (starting < maxStarting && waiters.length > 0) {
      starting++
      waiters.shift()!.begin()
    }
  }

  return {
    /** Runs `start` when a slot is free. */
    async run<T>(sandboxId: string, start: () => Promise<T>): Promise<T> {
      await new Promise<void>((begin, refuse) => {
        waiters.push({ sandboxId, begin, refuse })
        beginNext()
      })
      let isHeld = true
      const release = () => {
        if (!isHeld) return
        isHeld = false
        clearTimeout(timer)
        starting--
        beginNext()
      }
      const timer = setTimeout(release, holdMs).unref()
      try {
        return await start()
      } finally {
        release()
      }
    },
    /** Refuses a start that has not begun. */
    cancel(sandboxId: string): void {
      const at = waiters.findIndex((waiter) => waiter.sandboxId === sandboxId)
      if (at === -1) return
      const [waiter] = waiters.splice(at, 1)
      waiter!.refuse(problems.notReady('The sandbox is being stopped', RETRY_S))
    },
  }
}
