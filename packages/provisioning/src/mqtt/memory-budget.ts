import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs } from '@storey/kit/clock'

/** The memory that waiting messages of all sandboxes share, in bytes. */
export interface Memory {
  used: number
  readonly maxBytes: number
}

/** The bytes that a sandbox may use even when the shared memory is used up. */
const FREE_BYTES = 64 * 1024
const CHECK_EVERY_MS = 250
/** The bytes of incomplete messages that a sandbox may send in a millisecond: 10 MB a second. */
const ABANDONED_BYTES_PER_MS = 10 * 1024
/** A shorter incomplete message counts as this many bytes. So 2,000 of them a second are possible. */
const LEAST_ABANDONED_BYTES = 5 * 1024
/**
 * Every delay is shortened by this time, so the memory of an occasional incomplete message is free immediately if at
 * most 500 KB of the message arrived.
 */
const FREE_MS = 50

/**
 * The memory budget for messages of one sandbox. A message waits only for memory of other messages of the same sandbox,
 * unless the shared memory is used up.
 */
export function createMemoryBudget(maxBytes: number, memory: Memory = { used: 0, maxBytes: Number.POSITIVE_INFINITY }) {
  let used = 0
  let waiting: (() => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let abandonedUntil = 0
  let lastReturned: Promise<void> = Promise.resolve()

  function wakeAll(): void {
    clearTimeout(timer)
    timer = undefined
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  function giveBack(bytes: number): void {
    used -= bytes
    wakeAll()
  }

  return {
    /**
     * False when the message has to wait. If no other message of the sandbox uses memory, the sandbox's own limit does
     * not apply.
     */
    reserve(bytes: number): boolean {
      if (used > 0 && used + bytes > maxBytes) return false
      if (used + bytes > FREE_BYTES && memory.used + bytes > memory.maxBytes) return false
      used += bytes
      memory.used += bytes
      return true
    },
    release(bytes: number): void {
      memory.used -= bytes
      giveBack(bytes)
    },
    /**
     * Returns the reserved bytes of a message whose client disconnected before the message was complete. Such messages
     * are never stored, so a client could send them faster than messages can be stored, and reading them takes CPU time
     * that other sandboxes need. So the shared memory gets the bytes back immediately, but the sandbox's own budget
     * gets them only after a delay, which grows with the number of bytes that arrived.
     */
    abandon(bytes: number, arrived: number): void {
      const at = elapsedMs()
      const cost = Math.max(arrived, LEAST_ABANDONED_BYTES)
      abandonedUntil = Math.max(abandonedUntil, at) + cost / ABANDONED_BYTES_PER_MS
      const waitMs = abandonedUntil - at - FREE_MS
      memory.used -= bytes
      if (waitMs <= 0) giveBack(bytes)
      else lastReturned = sleep(waitMs, undefined, { ref: false }).then(() => giveBack(bytes))
    },
    /** Resolves when the bytes of all incomplete messages so far are returned. */
    returned: () => lastReturned,
    /**
     * Calls back once, when memory may be free: after this sandbox has released memory, or after a while, because other
     * sandboxes may have released memory.
     */
    onFree(wake: () => void): void {
      waiting.push(wake)
      timer ??= setTimeout(wakeAll, CHECK_EVERY_MS).unref()
    },
    used: () => used,
  }
}

export type MemoryBudget = ReturnType<typeof createMemoryBudget>
