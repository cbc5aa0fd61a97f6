import { LIMITS } from '@storey/contract'

/** No attempt is put off to later than this. A minute more: another process's clock may be ahead by as much. */
export function latestRetryAt(now: Date): Date {
  const { delaysMs, jitter } = LIMITS.webhook
  return new Date(now.getTime() + Math.max(...delaysMs) * (1 + jitter) + 60_000)
}

/** When to try again, of which each wait is spread evenly about its figure; null: never. */
export function retryAt(now: Date, triesLeft: number): Date | null {
  if (triesLeft <= 0) return null
  const { delaysMs, jitter } = LIMITS.webhook
  const delayMs = delaysMs[Math.max(0, delaysMs.length - triesLeft)]!
  return new Date(now.getTime() + delayMs * (1 + jitter * (2 * Math.random() - 1)))
}
