import { LIMITS } from '@storey/contract'
import type { Result } from './results.store.ts'

export interface SplitResults {
  /** Results that are written, in the given order. */
  listed: Result[]
  /** First attempts that succeeded, and that are not among the last attempts of their webhook: no list shows them. */
  unlisted: Result[]
}

/**
 * Splits the results of attempts that ended together. If an attempt of a webhook has failed, all attempts of the
 * webhook are listed, so that its failures are counted.
 */
export function splitResults(results: readonly Result[]): SplitResults {
  if (results.length <= LIMITS.webhook.attemptsListed) return { listed: [...results], unlisted: [] }
  const hidden = new Set<Result>()
  for (const own of Map.groupBy(results, ({ webhookId }) => webhookId).values()) {
    if (own.some(({ outcome }) => !outcome.isSuccess)) continue
    const byStart = own.toSorted((a, b) => a.outcome.attemptedAt.getTime() - b.outcome.attemptedAt.getTime())
    for (const result of byStart.slice(0, -LIMITS.webhook.attemptsListed)) {
      // The delivery of an unlisted result is deleted. A retry has earlier attempts in the database, and the list can
      // show them as the last ones if the clock was set back, so the result of a retry is always written.
      if (result.attempt === 1) hidden.add(result)
    }
  }
  return { listed: results.filter((result) => !hidden.has(result)), unlisted: [...hidden] }
}
