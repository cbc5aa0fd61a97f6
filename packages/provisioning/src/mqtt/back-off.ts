import { setTimeout as sleep } from 'node:timers/promises'
import { elapsedMs } from '@storey/kit/clock'

const FIRST_MS = 100
const MAX_MS = 10_000
/** The maximum number of failed sign-ins of one address that wait for their response. */
const MAX_WAITING = 20
const FORGET_MS = 60_000
const MAX_PAIRS = 10_000

const pass = (ms: number) => sleep(ms, undefined, { ref: false })

interface Failures {
  count: number
  lastAt: number
}

/**
 * Delays the response to a failed sign-in. The delay grows with each failure of the same user name from the same
 * address. A successful sign-in never waits, so failures of others cannot lock a client out.
 */
export function createBackOff(now: () => number = elapsedMs, wait: (ms: number) => Promise<unknown> = pass) {
  const pairs = new Map<string, Failures>()
  const waiting = new Map<string, number>()

  function failuresOf(username: string, address: string): Failures {
    const pair = JSON.stringify([username, address])
    const present = pairs.get(pair)
    const isFresh = present !== undefined && now() - present.lastAt < FORGET_MS
    const failures = isFresh ? present : { count: 0, lastAt: now() }
    // The least recently used pair is evicted first.
    pairs.delete(pair)
    pairs.set(pair, failures)
    if (pairs.size > MAX_PAIRS) pairs.delete(pairs.keys().next().value!)
    return failures
  }

  return {
    /**
     * Resolves with true after the delay, or immediately with false if too many clients of this address already wait.
     */
    async afterFailure(username: string, address: string): Promise<boolean> {
      const failures = failuresOf(username.slice(0, 100), address)
      failures.lastAt = now()
      const before = waiting.get(address) ?? 0
      if (before >= MAX_WAITING) return false
      const pauseMs = Math.min(FIRST_MS * 2 ** Math.min(failures.count++, 10), MAX_MS)
      waiting.set(address, before + 1)
      await wait(pauseMs)
      const left = waiting.get(address)! - 1
      if (left === 0) waiting.delete(address)
      else waiting.set(address, left)
      return true
    },
  }
}
