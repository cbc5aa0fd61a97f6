import type { Series } from './detail.ts'
import { upTo } from './span.ts'

/** A reading that came after its series was read. */
export interface Fresh {
  at: number
  value: number
}

/** Clocks differ by so much: what is further ahead is not of now. */
const AHEAD_MS = 60_000

/** Where a chart ends that shows this moment: not before a reading that has just come. */
export const edgeAt = (now: number, fresh: readonly Fresh[]): number =>
  fresh.reduce((edge, { at }) => (at < now + AHEAD_MS ? Math.max(edge, at) : edge), now)

/** The series as it is at the moment `edge`: as long as it was, with the readings that came meanwhile. */
export function grown(series: Series, fresh: readonly Fresh[], edge: number): Series {
  const span = upTo(series.span, Math.max(edge, series.span.to))
  // Averages come anew from the platform: one reading is not one of them.
  const isRaw = series.detail.kind === 'raw'
  const news = isRaw ? fresh.filter(({ at }) => at >= span.from && at <= span.to) : []
  const byTime = new Map<number, number>()
  for (const [i, at] of series.times.entries()) if (at >= span.from || !isRaw) byTime.set(at, series.values[i]!)
  const known = byTime.size
  for (const { at, value } of news) byTime.set(at, value)
  const rows = [...byTime].sort(([a], [b]) => a - b)
  return {
    ...series,
    span,
    times: rows.map(([at]) => at),
    values: rows.map(([, value]) => value),
    sampledFrom: series.sampledFrom === undefined ? undefined : series.sampledFrom + byTime.size - known,
  }
}
