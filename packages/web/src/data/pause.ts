const LONGEST_MS = 60_000

/** Longer after each failure, and never shorter than it was meant to be. */
export const pauseAfterFailure = (pauseMs: number, failures: number): number =>
  Math.max(pauseMs, Math.min(pauseMs * 2 ** (failures - 1), LONGEST_MS))
