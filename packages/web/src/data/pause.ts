const LONGEST_MS = 60_000

/** Longer after each failure, and never shorter than it was meant to be. */
export const pauseAfterFailure = (pauseMs: number, failures: number): number =>
  Math.max(pauseMs, Math.min(pauseMs * 2 ** (failures - 1), LONGEST_MS))

interface Counted {
  state: { dataUpdateCount: number; errorUpdateCount: number }
}

/** How many errors each query had when its last answer came. */
const errorsBefore = new WeakMap<object, { answers: number; errors: number }>()

/** Errors since the last answer. TanStack Query counts all of them, and those of one request. */
export function failuresInARow(query: Counted): number {
  const { dataUpdateCount: answers, errorUpdateCount: errors } = query.state
  const before = errorsBefore.get(query) ?? { answers: 0, errors: 0 }
  if (before.answers === answers) return errors - before.errors
  errorsBefore.set(query, { answers, errors })
  return 0
}
