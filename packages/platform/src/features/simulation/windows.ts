import { DAY_MS } from '@storey/building'
import type { StuckDamper, Window } from './messages.ts'
import type { ModelThread } from './model-thread.ts'
import { SAMPLES_A_POINT_AND_HOUR } from './simulated-time.ts'

/**
 * The maximum number of samples of a window. A sample takes 16 bytes. Only a window of the shortest span can exceed the
 * maximum. While the next window is prepared, the samples of two windows are in memory.
 */
const MAX_SAMPLES = 400_000
const HOUR_MS = 3_600_000
const SPANS_H = [24, 12, 8, 6, 4, 3, 2, 1]
/** The next window is requested this long before it is needed, in real time. */
const AHEAD_MS = 60_000

/** The samples of the building, a window at a time. A window is at most 24 hours of simulated time. */
export interface Windows {
  /** The window that contains an instant. */
  at(atMs: number): Promise<Window>
  /** Requests the next window when it will be needed soon. */
  prepare(atMs: number, speed: number): void
  /** Sets the stuck dampers. If they have changed, drops all prepared windows. */
  setStuckDampers(stuck: readonly StuckDamper[]): void
}

export function createWindows(model: ModelThread, points: number): Windows {
  const hours = SPANS_H.find((span) => points * SAMPLES_A_POINT_AND_HOUR * span <= MAX_SAMPLES) ?? 1
  const spanMs = hours * HOUR_MS
  const created = new Map<number, { fromMs: number; window: Promise<Window> }>()
  let stuck: readonly StuckDamper[] = []
  let stuckKey = ''

  function requestSpan(start: number, fromMs: number): Promise<Window> {
    // A stuck damper affects its room for less than two days after the fault has ended, so three days are enough.
    const affecting = stuck.filter(({ startMs, endMs }) => startMs < start + spanMs && endMs > start - 3 * DAY_MS)
    const window = model.window(fromMs, start + spanMs, affecting)
    created.set(start, { fromMs, window })
    window.catch(() => {
      if (created.get(start)?.window === window) created.delete(start)
    })
    return window
  }

  return {
    at(atMs) {
      const start = Math.floor(atMs / spanMs) * spanMs
      for (const earlier of created.keys()) if (earlier < start) created.delete(earlier)
      const existing = created.get(start)
      return existing && existing.fromMs <= atMs ? existing.window : requestSpan(start, atMs)
    },
    prepare(atMs, speed) {
      const next = Math.floor(atMs / spanMs) * spanMs + spanMs
      if (!created.has(next) && (next - atMs) / speed < AHEAD_MS) void requestSpan(next, next)
    },
    setStuckDampers(dampers) {
      const key = dampers.map(({ faultId, endMs }) => `${faultId} ${endMs}`).join()
      if (key === stuckKey) return
      stuckKey = key
      stuck = dampers
      created.clear()
    },
  }
}
