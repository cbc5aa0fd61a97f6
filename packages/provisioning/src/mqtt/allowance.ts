/**
 * How much of one sandbox's messages may be in memory at a time. Whoever finds no room waits for some, and only those
 * of the same sandbox wait for each other.
 */
export function createAllowance(mostBytes: number) {
  let used = 0
  let waiting: (() => void)[] = []
  return {
    /** A single message always finds room, however large it is. */
    take(bytes: number): boolean {
      if (used > 0 && used + bytes > mostBytes) return false
      used += bytes
      return true
    },
    give(bytes: number): void {
      used -= bytes
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    /** Called once, when there may be room. */
    onRoom(wake: () => void): void {
      waiting.push(wake)
    },
    used: () => used,
  }
}

export type Allowance = ReturnType<typeof createAllowance>
