import type { Series } from './detail.ts'

export interface ReadingRow {
  at: number
  /** In the order of the series; null for a series that has no reading at this time. */
  values: (number | null)[]
  /** The minimum and maximum of the first series. */
  low: number | null
  high: number | null
}

/** A row for each time at which one of the series has a reading, newest first. */
export function rowsOf(series: readonly Series[]): ReadingRow[] {
  const rows = new Map<number, ReadingRow>()
  for (const [i, { times, values, extremes }] of series.entries()) {
    for (const [n, at] of times.entries()) {
      const row = rows.get(at) ?? { at, values: series.map(() => null), low: null, high: null }
      rows.set(at, row)
      row.values[i] = values[n]!
      if (i > 0 || !extremes) continue
      row.low = extremes.lows[n] ?? null
      row.high = extremes.highs[n] ?? null
    }
  }
  return [...rows.values()].sort((a, b) => b.at - a.at)
}
