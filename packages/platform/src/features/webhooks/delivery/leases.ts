/** Longer than any attempt including the write of its outcome. */
export const LEASE_MS = 30_000

/** A lease that ends later than this was taken before the clock was set back, and counts as ended. */
export const latestLease = (now: Date): Date => new Date(now.getTime() + 2 * LEASE_MS)
