/** Bytes of messages that wait in memory, over all sandboxes. */
export interface Memory {
  used: number
  readonly maxBytes: number
}

/** So much a sandbox may always have, whatever the others hold. */
const FREE_BYTES = 64 * 1024
const ROOM_EVERY_MS = 250

/**
 * How much of one sandbox's messages may be in memory at a time. Whoever finds no room waits for some, and only those
 * of the same sandbox wait for each other, unless the memory for all of them is used up.
 */
export function createAllowance(maxBytes: number, memory: Memory = { used: 0, maxBytes: Number.POSITIVE_INFINITY }) {
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
    take(bytes: number): boolean {
      if (used > 0 && used + bytes > maxBytes) return false
      if (used + bytes > FREE_BYTES && memory.used + bytes > memory.maxBytes) return false
      used += bytes
      memory.used += bytes
      return true
    },
    give(bytes: number): void {
      used -= bytes
      memory.used -= bytes
      wakeAll()
    },
    /** Called once, when there may be room: others may have made it. */
    onRoom(wake: () => void): void {
      waiting.push(wake)
      timer ??= setTimeout(wakeAll, ROOM_EVERY_MS).unref()
    },
    used: () => used,
  }
}

export type Allowance = ReturnType<typeof createAllowance>
