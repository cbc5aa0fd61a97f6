import { problems } from '@storey/contract'

export interface StackCapacityOptions {
  /** PostgreSQL connections of all stacks together. */
  connections: number
  /** The maximum number of running stacks; 0: limited by connections only. */
  maxStacks: number
  /** Stops a stack that is not needed now, and resolves when it has ended; undefined: all are needed. */
  stopOne(): Promise<void> | undefined
  /** How long a stack waits for capacity. */
  waitMs?: number
}

/** The connections of a stack: five for requests and background work, one for the thread that folds observations. */
export const FULL_SHARE = 6
/** The connections of a stack when more than half of the budget is used. */
export const MIN_SHARE = 3

const WAIT_MS = 12_000
const CHECK_EVERY_MS = 250
const RETRY_S = 3

interface Waiter {
  sandboxId: string
  admit(share: number): void
  refuse(err: Error): void
}

/**
 * Distributes PostgreSQL connections among stacks, because a stack without connections fails its requests. A stack for
 * which there are none waits in a queue until another one ends, and stacks that are not needed now are stopped for it.
 */
export function createStackCapacity({ connections, maxStacks, stopOne, waitMs = WAIT_MS }: StackCapacityOptions) {
  const holders = new Map<string, number>()
  const queue: Waiter[] = []
  let used = 0
  let stopping = 0
  let timer: NodeJS.Timeout | undefined

  function freeShare(): number | undefined {
    if (maxStacks > 0 && holders.size >= maxStacks) return undefined
    if (used + FULL_SHARE <= connections / 2) return FULL_SHARE
    return used + MIN_SHARE <= connections ? MIN_SHARE : undefined
  }

  function take(sandboxId: string, share: number): number {
    holders.set(sandboxId, share)
    used += share
    return share
  }

  function serve(): void {
    for (let share = freeShare(); share !== undefined && queue.length > 0; share = freeShare()) {
      const { sandboxId, admit } = queue.shift()!
      admit(take(sandboxId, share))
    }
    while (stopping < queue.length) {
      const stopped = stopOne()
      if (stopped === undefined) break
      stopping++
      stopped
        .catch(() => undefined)
        .finally(() => {
          stopping--
          serve()
        })
    }
    if (queue.length > 0) timer ??= setInterval(serve, CHECK_EVERY_MS).unref()
    else {
      clearInterval(timer)
      timer = undefined
    }
  }

  return {
    /** Resolves with the number of connections that the stack may open. Rejects with a problem after the maximum wait. */
    async acquire(sandboxId: string): Promise<number> {
      const present = holders.get(sandboxId)
      if (present !== undefined) return present
      const share = queue.length === 0 ? freeShare() : undefined
      if (share !== undefined) return take(sandboxId, share)
      let limit: NodeJS.Timeout | undefined
      const waiting = new Promise<number>((admit, refuse) => {
        queue.push({ sandboxId, admit, refuse })
        limit = setTimeout(() => cancel(sandboxId), waitMs).unref()
      })
      serve()
      return await waiting.finally(() => clearTimeout(limit))
    },
    /** Refuses a stack that waits. */
    cancel,
    /** Returns the connections of a stack that has ended. */
    release(sandboxId: string): void {
      used -= holders.get(sandboxId) ?? 0
      holders.delete(sandboxId)
      serve()
    },
    /** Call it when a stack may no longer be needed. */
    recheck(): void {
      if (queue.length > 0) serve()
    },
    state: () => ({ connections, used, waiting: queue.length }),
  }

  function cancel(sandboxId: string): void {
    const at = queue.findIndex((waiter) => waiter.sandboxId === sandboxId)
    if (at === -1) return
    const [waiter] = queue.splice(at, 1)
    waiter!.refuse(problems.notReady('Too many sandboxes are running: try again in a moment', RETRY_S))
  }
}

export type StackCapacity = ReturnType<typeof createStackCapacity>
