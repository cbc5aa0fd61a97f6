/** The bucket holds at most `burst` tokens and gets `perSecond` new ones. */
export interface TokenBucketOptions {
  burst: number
  perSecond: number
}

/** Returns a function that takes a token and reports whether there was one. */
export function createTokenBucket(
  { burst, perSecond }: TokenBucketOptions,
  now = () => performance.now(),
): () => boolean {
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
