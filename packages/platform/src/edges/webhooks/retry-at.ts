import { LIMITS } from '@storey/contract'

/** When to try again, of which each wait is spread evenly about its figure; null: never. */
export function retryAt(now: Date, triesLeft: number): Date | null {
  if (triesLeft <= 0) return null
  const { delaysMs, jitter } = LIMITS.webhook
  const delayMs = delaysMs[Math.max(0, delaysMs.length - triesLeft)]!
  return new Date(now.getTime() + delayMs * (1 + jitter * (2 * Math.random() - 1)))
}
