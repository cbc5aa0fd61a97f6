import type { Clock } from '../clock.ts'

const SLOT_MS = 1_000
const SLOTS = 60
export const WINDOW_SECONDS = (SLOTS * SLOT_MS) / 1_000

/** A caller takes about 400 bytes, so this many callers take 4 MB. */
const MAX_KEYS = 10_000

export interface RateLimiterOptions {
  perMinute: number
  clock: Clock
  maxKeys?: number
}

export interface RateLimitState {
  allowed: boolean
  remaining: number
  /** Whole seconds until the oldest counted request leaves the window, at least 1. */
  resetSeconds: number
}

interface Window {
  /** Requests in each second of the last minute, indexed by the second modulo 60. */
  counts: Uint32Array
  total: number
  latest: number
}

export type RateLimiter = ReturnType<typeof createRateLimiter>

/**
 * A window that slides by seconds. A token bucket allows twice the limit in its first minute. Fixed windows allow twice
 * the limit in a minute that includes the end of one window and the beginning of the next. A sliding window keeps the
 * limit in any 59 seconds (not 60, because it counts by whole seconds), lets a caller use up the limit in one burst,
 * and knows when the next request is allowed. It takes the same memory for any limit. Refused requests do not count, so
 * that the reported wait stays accurate.
 */
export function createRateLimiter({ perMinute, clock, maxKeys = MAX_KEYS }: RateLimiterOptions) {
  /** The windows in the order of their last use: the least recently used one comes first. */
  const windows = new Map<string, Window>()

  function windowOf(key: string, slot: number): Window {
    const present = windows.get(key)
    windows.delete(key)
    const window = present ?? { counts: new Uint32Array(SLOTS), total: 0, latest: slot }
    windows.set(key, window)
    for (const [other, { latest }] of windows) {
      if (windows.size <= maxKeys && slot - latest < SLOTS) break
      if (other !== key) windows.delete(other)
    }
    return window
  }

  return {
    take(key: string): RateLimitState {
      const now = clock.now().getTime()
      const slot = Math.floor(now / SLOT_MS)
      const window = windowOf(key, slot)
      slide(window, slot)
      const allowed = window.total < perMinute
      if (allowed) {
        window.counts[slot % SLOTS]!++
        window.total++
      }
      const resetSeconds = Math.ceil(((oldest(window) + SLOTS) * SLOT_MS - now) / 1_000)
      return { allowed, remaining: perMinute - window.total, resetSeconds }
    },
    /**
     * Uncounts the last counted request of a key. Call this if another limit refuses the request, or if the request
     * will be counted again.
     */
    giveBack(key: string): void {
      const window = windows.get(key)
      if (!window || window.total === 0) return
      window.counts[newest(window) % SLOTS]!--
      window.total--
    },
    size: () => windows.size,
  }
}

/** Clears the seconds that have left the window. Clears all seconds if the clock was set back. */
function slide(window: Window, slot: number): void {
  const passed = slot - window.latest
  if (passed < 0 || passed >= SLOTS) {
    window.counts.fill(0)
    window.total = 0
  } else {
    for (let s = window.latest + 1; s <= slot; s++) {
      window.total -= window.counts[s % SLOTS]!
      window.counts[s % SLOTS] = 0
    }
  }
  window.latest = slot
}

/** The latest second with a counted request. The window must have a counted request. */
function newest({ counts, latest }: Window): number {
  let slot = latest
  while (counts[slot % SLOTS] === 0) slot--
  return slot
}

/** The earliest second with a counted request. The window must have a counted request. */
function oldest({ counts, latest }: Window): number {
  let slot = latest - SLOTS + 1
  while (slot < latest && counts[slot % SLOTS] === 0) slot++
  return slot
}
