import { within } from '../within.ts'

/** This is shorter than the time limit of most monitors, and longer than a successful check takes. */
const LIMIT_MS = 4_000

/**
 * Checks the dependencies of an application for monitors, which must get an answer even while a dependency hangs. At
 * most one check is in progress, because anybody can request a check, as often as they like.
 */
export function createReadiness<T>(check: () => Promise<T>, limitMs = LIMIT_MS): () => Promise<T> {
  let checking: Promise<T> | undefined
  return () => {
    checking ??= check().finally(() => {
      checking = undefined
    })
    return within(limitMs, checking)
  }
}
