import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_MS = 100
const MOST_MS = 10_000
const MOST_WAITING = 20
const FORGET_MS = 60_000
const MOST_ADDRESSES = 10_000

interface Failures {
  count: number
  waiting: number
  lastAt: number
}

/**
 * The answer to a bad sign-in takes ever longer for an address that keeps trying. Good ones from the same address do
 * not wait: nobody is shut out by somebody else's bad tries.
 */
export function createBackOff() {
  const addresses = new Map<string, Failures>()

  function failuresOf(address: string): Failures {
    const now = Date.now()
    const present = addresses.get(address)
    if (present && now - present.lastAt < FORGET_MS) return present
    if (addresses.size >= MOST_ADDRESSES) addresses.clear()
    const fresh = { count: 0, waiting: 0, lastAt: now }
    addresses.set(address, fresh)
    return fresh
  }

  return {
    /** True when the time has come to answer; false, at once, when too many wait for theirs already. */
    async afterFailure(address: string): Promise<boolean> {
      const failures = failuresOf(address)
      failures.lastAt = Date.now()
      if (failures.waiting >= MOST_WAITING) return false
      const pauseMs = Math.min(FIRST_MS * 2 ** failures.count++, MOST_MS)
      failures.waiting++
      await sleep(pauseMs, undefined, { ref: false })
      failures.waiting--
      return true
    },
  }
}
