import { DAY_MS } from '@storey/building'
import type { StuckOrder, Window } from './messages.ts'
import type { ModelThread } from './model-thread.ts'

/** So many samples are in memory at a time, and as many again while the next are prepared: 16 bytes each. */
const MOST_SAMPLES = 400_000
/** More than any kind of building has. */
const SAMPLES_A_POINT_AND_HOUR = 8
const HOUR_MS = 3_600_000
const SPANS_H = [24, 12, 8, 6, 4, 3, 2, 1]
/** The next span is asked for this long before it is needed, in real time. */
const AHEAD_MS = 60_000

/** What the building will say, a span at a time. */
export interface Windows {
  /** The span that holds an instant, from that instant on at the latest. */
  holding(atMs: number): Promise<Window>
  /** Has the next one made when it will be needed soon. */
  prepare(atMs: number, speed: number): void
  /** From here on these dampers stick. What was prepared without them goes. */
  stick(stuck: readonly StuckOrder[]): void
}

export function createWindows(model: ModelThread, points: number): Windows {
  const hours = SPANS_H.find((span) => points * SAMPLES_A_POINT_AND_HOUR * span <= MOST_SAMPLES) ?? 1
  const spanMs = hours * HOUR_MS
  const made = new Map<number, { fromMs: number; window: Promise<Window> }>()
  let stuck: readonly StuckOrder[] = []
  let stuckKey = ''

  function ask(start: number, fromMs: number): Promise<Window> {
    // A room remembers what its damper did for less than two days.
    const felt = stuck.filter(({ startMs, endMs }) => startMs < start + spanMs && endMs > start - 3 * DAY_MS)
    const window = model.window(fromMs, start + spanMs, felt)
    made.set(start, { fromMs, window })
    window.catch(() => {
      if (made.get(start)?.window === window) made.delete(start)
    })
    return window
  }

  return {
    holding(atMs) {
      const start = Math.floor(atMs / spanMs) * spanMs
      for (const earlier of made.keys()) if (earlier < start) made.delete(earlier)
      const there = made.get(start)
      return there && there.fromMs <= atMs ? there.window : ask(start, atMs)
    },
    prepare(atMs, speed) {
      const next = Math.floor(atMs / spanMs) * spanMs + spanMs
      if (!made.has(next) && (next - atMs) / speed < AHEAD_MS) void ask(next, next)
    },
    stick(orders) {
      const key = orders.map(({ faultId, endMs }) => `${faultId} ${endMs}`).join()
      if (key === stuckKey) return
      stuckKey = key
      stuck = orders
      made.clear()
    },
  }
}
