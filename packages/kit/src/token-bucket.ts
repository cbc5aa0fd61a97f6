/** The bucket holds at most `burst` tokens, and gets `perSecond` new tokens every second. */
export interface TokenBucketOptions {
  burst: number
  perSecond: number
}

export interface TokenBucket {
  /** Takes a token and reports whether there was one. */
  take(): boolean
  /**
   * Takes tokens even if the bucket does not have them yet; a negative number returns tokens. The debt is at most one
   * burst.
   */
  charge(tokens: number): void
  /** How long it takes until the bucket has no debt. */
  waitMs(): number
}

export function createTokenBucket(
  { burst, perSecond }: TokenBucketOptions,
  now = () => performance.now(),
): TokenBucket {
  let left = burst
  let at = now()
  function refill(): void {
    const current = now()
    // A clock that was set back adds nothing.
    const passed = Math.max(0, current - at)
    at = current
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
      left = Math.min(burst, Math.max(-burst, left - tokens))
    },
    waitMs() {
      refill()
      return Math.max(0, (-left / perSecond) * 1000)
    },
  }
}

/** The number of buckets that are kept; beyond it the least recently used one is dropped. */
const MAX_BUCKETS = 10_000

/** One bucket for each key, such as the address of a client. */
export function createTokenBuckets(options: TokenBucketOptions, now = () => performance.now()) {
  /** The least recently used bucket comes first. */
  const buckets = new Map<string, TokenBucket>()
  return {
    /** How long it takes until the bucket of this key has no debt. */
    waitMs: (key: string): number => buckets.get(key)?.waitMs() ?? 0,
    of(key: string): TokenBucket {
      const bucket = buckets.get(key) ?? createTokenBucket(options, now)
      buckets.delete(key)
      buckets.set(key, bucket)
      if (buckets.size > MAX_BUCKETS) buckets.delete(buckets.keys().next().value!)
      return bucket
    },
  }
}
