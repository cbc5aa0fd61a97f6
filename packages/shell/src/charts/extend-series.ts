import type { Series } from './detail.ts'
import { endingAt } from './span.ts'

/** A reading that arrived after the series was loaded. */
export interface NewReading {
  at: number
  value: number
}

/** The tolerated clock difference between a sensor and the browser. */
const CLOCK_TOLERANCE_MS = 60_000

/** The end of a chart that follows the time: now, or the newest reading if it is slightly later. */
export const endAt = (now: number, fresh: readonly NewReading[]): number =>
  fresh.reduce((edge, { at }) => (at < now + CLOCK_TOLERANCE_MS ? Math.max(edge, at) : edge), now)

/**
 * Moves the series to end at `edge`, but not back in time, and adds the new readings to a series of raw readings.
 * `isHeld`: a value holds until the next one, so the value that holds at the start of the span stays.
 */
export function extendSeries(series: Series, fresh: readonly NewReading[], edge: number, isHeld = false): Series {
  const span = endingAt(series.span, Math.max(edge, series.span.to))
  // A single reading cannot be added to the value of an interval, so intervals change only when they are loaded again.
  const isRaw = series.detail.kind === 'raw'
  const added = isRaw ? fresh.filter(({ at }) => at >= span.from && at <= span.to) : []
  const byTime = new Map<number, number>()
  const start = isRaw && isHeld ? series.times.findLastIndex((at) => at <= span.from) : -1
  if (start >= 0) byTime.set(span.from, series.values[start]!)
  for (const [i, at] of series.times.entries()) if (at >= span.from || !isRaw) byTime.set(at, series.values[i]!)
  const known = byTime.size
  for (const { at, value } of added) byTime.set(at, value)
  const rows = [...byTime].sort(([a], [b]) => a - b)
  return {
    ...series,
    span,
    times: rows.map(([at]) => at),
    values: rows.map(([, value]) => value),
    sampledFrom: series.sampledFrom === undefined ? undefined : series.sampledFrom + byTime.size - known,
  }
}
