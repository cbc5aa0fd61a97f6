/** The memory that waiting messages of all sandboxes share, in bytes. */
export interface Memory {
  used: number
  readonly maxBytes: number
}

/** The bytes that a sandbox may use even when the shared memory is used up. */
const FREE_BYTES = 64 * 1024
const CHECK_EVERY_MS = 250

/**
 * The memory budget for messages of one sandbox. A message waits only for memory of other messages of the same sandbox,
 * unless the shared memory is used up.
 */
export function createMemoryBudget(maxBytes: number, memory: Memory = { used: 0, maxBytes: Number.POSITIVE_INFINITY }) {
  let used = 0
  let waiting: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined

  function wakeAll(): void {
    clearTimeout(timer)
    timer = undefined
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  return {
    /** False when the message has to wait. The only message of a sandbox never waits for the sandbox's own limit. */
    reserve(bytes: number): boolean {
      if (used > 0 && used + bytes > maxBytes) return false
      if (used + bytes > FREE_BYTES && memory.used + bytes > memory.maxBytes) return false
      used += bytes
      memory.used += bytes
      return true
    },
    release(bytes: number): void {
      used -= bytes
      memory.used -= bytes
      wakeAll()
    },
    /** Calls back once, when memory may be free: after a release here, or after a while, in case others released. */
    onFree(wake: () => void): void {
      waiting.push(wake)
      timer ??= setTimeout(wakeAll, CHECK_EVERY_MS).unref()
    },
    used: () => used,
  }
}

export type MemoryBudget = ReturnType<typeof createMemoryBudget>
