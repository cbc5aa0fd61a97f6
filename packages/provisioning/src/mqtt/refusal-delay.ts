/** Refused bytes per millisecond and sandbox: 10 MB a second. */
const BYTES_PER_MS = 10 * 1024
/**
 * A message counts as at least this many bytes. Each subscriber that gets its refusal adds this many bytes. So 2,000
 * small messages a second are possible, if nobody subscribes to their refusals.
 */
const LEAST_BYTES = 5 * 1024
/**
 * Every delay is shortened by this time, so that an occasional refused message of at most 500 KB is acknowledged
 * immediately.
 */
const FREE_MS = 50
const MAX_WAIT_MS = 30_000

/**
 * Returns a function that computes how long the acknowledgement of a refused or ignored message, or of a dead letter,
 * is delayed. The stack does not store such a message, so a client does not wait for storage before it can send the
 * next one. Without a delay, a client with many or large messages would take CPU time that other sandboxes need.
 */
export function createRefusalDelay(now: () => number = () => performance.now()) {
  /** Until when refusals of each sandbox are delayed. */
  const untils = new Map<string, number>()

  return (slug: string, bytes: number, recipients = 0): number => {
    const at = now()
    for (const [other, until] of untils) if (until <= at) untils.delete(other)
    const cost = Math.max(bytes, LEAST_BYTES) + recipients * LEAST_BYTES
    const until = Math.min((untils.get(slug) ?? at) + cost / BYTES_PER_MS, at + MAX_WAIT_MS)
    untils.set(slug, until)
    return Math.max(0, until - at - FREE_MS)
  }
}
