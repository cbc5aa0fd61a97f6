/**
 * A rate limit that a single call may exceed. It is free again when enough time has passed to compensate for the
 * excess. The rate of a simulation is `OBSERVATIONS_A_SECOND` in `run-building.ts`.
 */
export interface RateLimit {
  isFree(): boolean
  spend(count: number): void
}

export function createRateLimit(aSecond: number): RateLimit {
  let left = aSecond
  let lastMs = performance.now()
  return {
    isFree() {
      const nowMs = performance.now()
      left = Math.min(aSecond, left + ((nowMs - lastMs) * aSecond) / 1000)
      lastMs = nowMs
      return left > 0
    },
    spend(count) {
      left -= count
    },
  }
}
