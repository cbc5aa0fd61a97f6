/** So many at once, and so many a second after that. */
export interface AllowanceOptions {
  burst: number
  perSecond: number
}

/** Returns whether there is one more. */
export function createAllowance({ burst, perSecond }: AllowanceOptions, now = () => performance.now()): () => boolean {
  let left = burst
  let at = now()
  return () => {
    const passed = now() - at
    at += passed
    left = Math.min(burst, left + (passed / 1000) * perSecond)
    if (left < 1) return false
    left--
    return true
  }
}
