import { EARLIEST, type Range, readWindows, type Source } from './read-windows.ts'
import { lastDayBefore, numberOf } from './series.store.ts'
import { between, joined, type Series } from './series.ts'

const DAY_MS = 86_400_000

/**
 * At least the first `enough` observations of a range, if it has that many. The first read covers as many days as
 * `enough` observations take at intervals of five minutes. More days are read if these days have too few observations.
 */
export async function readStart(source: Source, range: Range, enough: number): Promise<Series> {
  const parts: Series[] = []
  let count = 0
  const options = { max: enough, days: Math.ceil(enough / 288) + 1, withSources: true }
  for await (const window of readWindows(source, range, options)) {
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
export async function readWithBefore(source: Source, range: Range): Promise<WindowsWithBefore> {
  const all = readWindows(source, { from: range.from - DAY_MS, to: range.to })
  let before: number | undefined
  for (;;) {
    const { value: window, done } = await all.next()
    if (!done) {
      const earlier = between(window, Number.NEGATIVE_INFINITY, range.from)
      before = earlier.values.at(-1) ?? before
      if (earlier.times.length === window.times.length) continue
    }
    before ??= await lastBefore(source, range.from - DAY_MS)
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
async function lastBefore(source: Source, instant: number): Promise<number | undefined> {
  const { db, point, check } = source
  let to = instant
  for (let days = 1; to > EARLIEST; days *= 8) {
    check()
    const day = await lastDayBefore(db, await numberOf(db, point), to)
    if (day === undefined) return undefined
    to = Math.min(to, day + DAY_MS)
    const start = Math.max(to - days * DAY_MS, EARLIEST)
    let last: number | undefined
    for await (const { values } of readWindows(source, { from: start, to })) last = values.at(-1)
    if (last !== undefined) return last
    to = start
  }
  return undefined
}
