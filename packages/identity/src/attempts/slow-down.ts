import { setTimeout as sleep } from 'node:timers/promises'

/** Both together bound what guessers at many addresses can try at one account: 40 a minute. */
const PAUSE_MS = 3_000
const MAX_WAITING = 2

export interface SlowDown {
  /** Resolves to true after a pause; to false at once when others wait for the same account already. */
  pass(subject: string): Promise<boolean>
  pauseMs: number
}

/**
 * For an account that is being guessed at from many addresses. Its owner waits for a moment at a browser that never
 * signed in before, and at any other not at all.
 */
export function createSlowDown(pauseMs = PAUSE_MS): SlowDown {
  const waiting = new Map<string, number>()
  return {
    pauseMs,
    async pass(subject) {
      const others = waiting.get(subject) ?? 0
      if (others >= MAX_WAITING) return false
      waiting.set(subject, others + 1)
      await sleep(pauseMs, undefined, { ref: false })
      const left = waiting.get(subject)! - 1
      if (left === 0) waiting.delete(subject)
      else waiting.set(subject, left)
      return true
    },
  }
}
