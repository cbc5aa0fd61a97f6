import type { Clock } from '@storey/kit/clock'

/** If the last time is further ahead of the clock than this, the clock has been set back since then. */
const MAX_AHEAD_MS = 60_000

/**
 * The times of arrival of one client's messages. No two are equal, however fast the messages come, because a point has
 * only one value at an instant. Times can repeat only if the clock was set back by more than `MAX_AHEAD_MS`.
 */
export function createArrivalTimes(clock: Clock): () => Date {
  let last = 0
  return () => {
    const now = clock.now().getTime()
    last = last - now > MAX_AHEAD_MS ? now : Math.max(now, last + 1)
    return new Date(last)
  }
}
