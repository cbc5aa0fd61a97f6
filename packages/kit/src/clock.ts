import { performance } from 'node:perf_hooks'

/** The current time, passed in so that tests can control it. */
export interface Clock {
  now(): Date
  /**
   * The later of `now` and the machine's clock. Absent if the two never differ. They differ for the steady clock
   * (`steady-clock.ts`), which ignores a jump of the machine's clock for a while.
   */
  latest?(): Date
}

/**
 * The latest time that any part of the system could have used. A revocation has this time, so that the revocation
 * covers every token that any part has issued before.
 */
export const latestTime = (clock: Clock): Date => clock.latest?.() ?? clock.now()

export const systemClock: Clock = { now: () => new Date() }

/**
 * If the clocks of the service and of the database server last agreed (`clock-check.ts`) longer ago than this, it is
 * unknown whether the time really passed or a clock was changed.
 */
export const MAX_UNCHECKED_MS = 3 * 3_600_000

/**
 * Milliseconds of the monotonic clock. On Linux this clock stops while the machine sleeps. The uptime of the machine
 * (`os.uptime`) includes the time of sleep.
 */
export const elapsedMs = (): number => performance.now()

/** A clock for tests. `advance` lets time pass; `set` changes the time of day, but not the elapsed time. */
export function movableClock(start = new Date()) {
  let at = start.getTime()
  let elapsed = 0
  return {
    now: () => new Date(at),
    elapsedMs: () => elapsed,
    advance: (ms: number) => {
      at += ms
      elapsed += ms
    },
    set: (date: Date) => {
      at = date.getTime()
    },
  }
}
