/** Of one sandbox so much may be refused in a millisecond: 10 MB a second. */
const BYTES_PER_MS = 10 * 1024
/** What a message costs however short it is, and each telling of its refusal: 2,000 of them a second. */
const LEAST_BYTES = 5 * 1024
/** What is refused now and then is acknowledged at once. */
const FREE_MS = 50
const MAX_WAIT_MS = 30_000

/**
 * How long the acknowledgement of a refused message waits. Refused messages store nothing and are held back by nothing
 * else, and reading large or many of them at full speed takes time that the messages of others need.
 */
export function createRefusalDelay(now: () => number = () => performance.now()) {
  /** Until when what was refused of a sandbox has its time. */
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
