import type { Database } from '@storey/kit/database'
import { EARLIEST, type Range, readWindows } from './read-windows.ts'
import { lastDayBefore, numberOf, type SeriesPoint } from './series.store.ts'
import { between, joined, type Series } from './series.ts'

const DAY_MS = 86_400_000

/**
 * At least the first `enough` observations of a range, if it has that many. The first read covers as many days as
 * `enough` observations take at intervals of five minutes. More days are read if these days have too few observations.
 */
export async function readStart(db: Database, point: SeriesPoint, range: Range, enough: number): Promise<Series> {
  const parts: Series[] = []
  let count = 0
  const options = { max: enough, days: Math.ceil(enough / 288) + 1, withSources: true }
  for await (const window of readWindows(db, point, range, options)) {
    parts.push(window)
    count += window.times.length
    if (count >= enough) break
  }
  return joined(parts)
}

export interface WindowsWithBefore {
  windows: AsyncIterable<Series>
  /** The last value before the range, if there is one. */
  before: number | undefined
}

/**
 * The observations of a range, and the last value before it, with which time-weighted means and deltas begin. That
 * value is read however old it is: otherwise a page that begins after a long gap would differ from a read of the whole
 * range. The read starts a day before the range, so it usually includes that value.
 */
export async function readWithBefore(db: Database, point: SeriesPoint, range: Range): Promise<WindowsWithBefore> {
  const all = readWindows(db, point, { from: range.from - DAY_MS, to: range.to })
  let before: number | undefined
  for (;;) {
    const { value: window, done } = await all.next()
    if (!done) {
      const earlier = between(window, Number.NEGATIVE_INFINITY, range.from)
      before = earlier.values.at(-1) ?? before
      if (earlier.times.length === window.times.length) continue
    }
    before ??= await lastBefore(db, point, range.from - DAY_MS)
    return { windows: from(range.from, window, all), before }
  }
}

async function* from(instant: number, first: Series | undefined, rest: AsyncIterable<Series>): AsyncGenerator<Series> {
  if (first === undefined) return
  yield between(first, instant, Number.POSITIVE_INFINITY)
  yield* rest
}

/**
 * The last value before the instant. Searches backwards in steps of growing length, and begins each step at the latest
 * day that has observations.
 */
async function lastBefore(db: Database, point: SeriesPoint, instant: number): Promise<number | undefined> {
  let to = instant
  for (let days = 1; to > EARLIEST; days *= 8) {
    const day = await lastDayBefore(db, await numberOf(db, point), to)
    if (day === undefined) return undefined
    to = Math.min(to, day + DAY_MS)
    const start = Math.max(to - days * DAY_MS, EARLIEST)
    let last: number | undefined
    for await (const { values } of readWindows(db, point, { from: start, to })) last = values.at(-1)
    if (last !== undefined) return last
    to = start
  }
  return undefined
}
