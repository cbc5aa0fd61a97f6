import { performance } from 'node:perf_hooks'

/** Time as a part that is passed in, so that a test can move it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** Milliseconds on a clock that only counts: nobody can set it. */
export const elapsedMs = (): number => performance.now()

/** A clock for tests: it stands still until it is told to move. `advance` lets time pass, `set` is a jump. */
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
