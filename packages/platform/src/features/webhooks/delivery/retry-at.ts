import { LIMITS } from '@storey/contract'

/** No attempt is scheduled later than this. A minute is added, since the clock of another process may be ahead. */
export function latestRetryAt(now: Date): Date {
  const { delaysMs, jitter } = LIMITS.webhook
  return new Date(now.getTime() + Math.max(...delaysMs) * (1 + jitter) + 60_000)
}

/** The time of the next attempt, with a random delay around the nominal one. Null if no attempts are left. */
export function retryAt(now: Date, triesLeft: number): Date | null {
  if (triesLeft <= 0) return null
  const { delaysMs, jitter } = LIMITS.webhook
  const delayMs = delaysMs[Math.max(0, delaysMs.length - triesLeft)]!
  return new Date(now.getTime() + delayMs * (1 + jitter * (2 * Math.random() - 1)))
}
