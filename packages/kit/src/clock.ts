/** Time as a part that is passed in, so that a test can move it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** A clock for tests: it stands still until it is told to move. */
export function movableClock(start = new Date()): Clock & { advance(ms: number): void; set(at: Date): void } {
  let at = start.getTime()
  return {
    now: () => new Date(at),
    advance: (ms) => {
      at += ms
    },
    set: (date) => {
      at = date.getTime()
    },
  }
}
