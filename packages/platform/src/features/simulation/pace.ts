/** A rate limit: spending may overdraw it, and it is free again when the debt is made up. */
export interface Pace {
  isFree(): boolean
  spend(count: number): void
}

export function createPace(aSecond: number): Pace {
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
