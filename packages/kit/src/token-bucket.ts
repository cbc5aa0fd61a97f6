/** The bucket holds at most `burst` tokens and gets `perSecond` new ones. */
export interface TokenBucketOptions {
  burst: number
  perSecond: number
}

export interface TokenBucket {
  /** Takes a token and reports whether there was one. */
  take(): boolean
  /** Takes tokens even if the bucket does not have them yet. The debt is at most one burst. */
  charge(tokens: number): void
}

export function createTokenBucket(
  { burst, perSecond }: TokenBucketOptions,
  now = () => performance.now(),
): TokenBucket {
  let left = burst
  let at = now()
  function refill(): void {
    const passed = now() - at
    at += passed
    left = Math.min(burst, left + (passed / 1000) * perSecond)
  }
  return {
    take() {
      refill()
      if (left < 1) return false
      left--
      return true
    },
    charge(tokens) {
      refill()
      left = Math.max(-burst, left - tokens)
    },
  }
}
