/** Bytes of messages that wait in memory, over all sandboxes. */
export interface Memory {
  used: number
  readonly maxBytes: number
}

/** So much a sandbox may always have, whatever the others hold. */
const FREE_BYTES = 64 * 1024
const CHECK_EVERY_MS = 250

/**
 * How much of one sandbox's messages may be in memory at a time. Whoever finds no room waits for some, and only those
 * of the same sandbox wait for each other, unless the memory for all of them is used up.
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
    /** A single message always finds room in its sandbox's share, however large it is. */
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
    /** Called once, when there may be room: others may have made it. */
    onFree(wake: () => void): void {
      waiting.push(wake)
      timer ??= setTimeout(wakeAll, CHECK_EVERY_MS).unref()
    },
    used: () => used,
  }
}

export type MemoryBudget = ReturnType<typeof createMemoryBudget>
