/** Refused bytes per millisecond and sandbox: 10 MB a second. */
const BYTES_PER_MS = 10 * 1024
/** A smaller message, and each published refusal, counts as this many bytes. So 2,000 of them a second are possible. */
const LEAST_BYTES = 5 * 1024
/** Every delay is shortened by this, so occasional refusals are acknowledged immediately. */
const FREE_MS = 50
const MAX_WAIT_MS = 30_000

/**
 * How long the acknowledgement of a refused or ignored message, or of a dead letter, is delayed. The stack stores none
 * of them, so storage does not slow their client down. Reading large or many of them at full speed takes CPU time that
 * other sandboxes need.
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
