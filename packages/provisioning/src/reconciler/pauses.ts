import { elapsedMs } from '@storey/kit/clock'

interface Pause {
  ms: number
  until: number
}

const MAX_MS = 30_000
/** A pause is forgotten when it ended this long ago: another process has probably done the work since. */
const FORGOTTEN_MS = 600_000

/**
 * Pauses of failed work, which double with each failure. Without them, a few pieces of work that fail at every attempt
 * would keep all others waiting.
 */
export function createPauses(firstMs: number, clock = elapsedMs) {
  const pauses = new Map<string, Pause>()
  const keyOf = (kind: string, id: string) => `${kind} ${id}`
  return {
    failed(kind: string, id: string): void {
      const before = pauses.get(keyOf(kind, id))
      const ms = before === undefined ? firstMs : Math.min(before.ms * 2, Math.max(firstMs, MAX_MS))
      // `firstMs` is also the interval of the reconciler. The pause is half an interval shorter than `ms`, so that it
      // has ended when the reconciler runs again after `ms`.
      pauses.set(keyOf(kind, id), { ms, until: clock() + ms - firstMs / 2 })
    },
    ended(kind: string, id: string): void {
      pauses.delete(keyOf(kind, id))
    },
    /** The ids of the work that is paused now. */
    of(kind: string): string[] {
      const now = clock()
      for (const [key, { until }] of pauses) if (until + FORGOTTEN_MS < now) pauses.delete(key)
      const prefix = keyOf(kind, '')
      return [...pauses]
        .filter(([key, { until }]) => key.startsWith(prefix) && until > now)
        .map(([key]) => key.slice(prefix.length))
    },
  }
}
