import { DAY_MS } from '@storey/building'
import type { StuckDamper, Window } from './messages.ts'
import type { ModelThread } from './model-thread.ts'

/** Samples in memory at a time, and as many again while the next span is prepared: 16 bytes each. */
const MAX_SAMPLES = 400_000
/** More than any type of building has. */
const SAMPLES_A_POINT_AND_HOUR = 8
const HOUR_MS = 3_600_000
const SPANS_H = [24, 12, 8, 6, 4, 3, 2, 1]
/** The next span is requested this long before it is needed, in real time. */
const AHEAD_MS = 60_000

/** The samples of the building, a span at a time. */
export interface Windows {
  /** The span of an instant; it begins at that instant or earlier. */
  holding(atMs: number): Promise<Window>
  /** Requests the next span when it will be needed soon. */
  prepare(atMs: number, speed: number): void
  /** Sets the stuck dampers. Spans prepared without them are dropped. */
  stick(stuck: readonly StuckDamper[]): void
}

export function createWindows(model: ModelThread, points: number): Windows {
  const hours = SPANS_H.find((span) => points * SAMPLES_A_POINT_AND_HOUR * span <= MAX_SAMPLES) ?? 1
  const spanMs = hours * HOUR_MS
  const created = new Map<number, { fromMs: number; window: Promise<Window> }>()
  let stuck: readonly StuckDamper[] = []
  let stuckKey = ''

  function ask(start: number, fromMs: number): Promise<Window> {
    // A damper affects its room for less than two days.
    const felt = stuck.filter(({ startMs, endMs }) => startMs < start + spanMs && endMs > start - 3 * DAY_MS)
    const window = model.window(fromMs, start + spanMs, felt)
    created.set(start, { fromMs, window })
    window.catch(() => {
      if (created.get(start)?.window === window) created.delete(start)
    })
    return window
  }

  return {
    holding(atMs) {
      const start = Math.floor(atMs / spanMs) * spanMs
      for (const earlier of created.keys()) if (earlier < start) created.delete(earlier)
      const there = created.get(start)
      return there && there.fromMs <= atMs ? there.window : ask(start, atMs)
    },
    prepare(atMs, speed) {
      const next = Math.floor(atMs / spanMs) * spanMs + spanMs
      if (!created.has(next) && (next - atMs) / speed < AHEAD_MS) void ask(next, next)
    },
    stick(orders) {
      const key = orders.map(({ faultId, endMs }) => `${faultId} ${endMs}`).join()
      if (key === stuckKey) return
      stuckKey = key
      stuck = orders
      created.clear()
    },
  }
}
