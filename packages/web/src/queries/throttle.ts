/** The number of runs before the limit applies. Further runs are delayed to one per interval. */
const BURST = 5
const INTERVAL_MS = 5_000
/**
 * The maximum of the random delay before a run, so that clients that are notified at the same time do not all send
 * their requests at the same time.
 */
const MAX_DELAY_MS = 300

export interface Throttle {
  /** Schedules a run. Further calls before that run have no effect. */
  call(): void
  stop(): void
}

/** Limits how often `run` runs, so that a busy building does not use up a caller's rate limit. */
export function createThrottle(run: () => void, delayMs = () => Math.random() * MAX_DELAY_MS): Throttle {
  let left = BURST
  let at = performance.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    call() {
      if (timer !== undefined) return
      const now = performance.now()
      left = Math.min(BURST, left + (now - at) / INTERVAL_MS)
      at = now
      timer = setTimeout(
        () => {
          timer = undefined
          left -= 1
          run()
        },
        Math.max(delayMs(), (1 - left) * INTERVAL_MS),
      )
    },
    stop: () => clearTimeout(timer),
  }
}
