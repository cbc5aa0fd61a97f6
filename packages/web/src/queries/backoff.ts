const MAX_BACKOFF_MS = 60_000

/** The pause after a failure. It doubles with each failure up to a minute, and is never shorter than the interval. */
export const backoffMs = (intervalMs: number, failures: number): number =>
  Math.max(intervalMs, Math.min(intervalMs * 2 ** (failures - 1), MAX_BACKOFF_MS))

interface QueryCounts {
  state: { dataUpdateCount: number; errorUpdateCount: number }
}

/** The numbers of successful responses and errors of each query at its last successful response. */
const errorsBefore = new WeakMap<object, { answers: number; errors: number }>()

/**
 * The number of errors since the last successful response. TanStack Query has only the number of all errors of a query.
 */
export function consecutiveFailures(query: QueryCounts): number {
  const { dataUpdateCount: answers, errorUpdateCount: errors } = query.state
  const before = errorsBefore.get(query) ?? { answers: 0, errors: 0 }
  if (before.answers === answers) return errors - before.errors
  errorsBefore.set(query, { answers, errors })
  return 0
}
