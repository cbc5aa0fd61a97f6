import { LIMITS } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { type Series, seriesOf } from './series.ts'
import { readChunks } from './telemetry.store.ts'

const DAY_MS = 86_400_000
/** The years that a day has in the database. */
const EARLIEST = LIMITS.observation.earliestMs
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

export interface Range {
  /** Included. */
  from: number
  /** Not included. */
  to: number
}

/** The observations of a range. */
export async function readSeries(db: Database, point: number, range: Range): Promise<Series> {
  const from = clamped(range.from)
  const to = clamped(range.to)
  if (from >= to) return { times: new Float64Array(0), values: new Float64Array(0) }
  return seriesOf(await db.session((tx) => readChunks(tx, point, { from, to })), from, to)
}

const clamped = (instant: number) => Math.min(Math.max(instant, EARLIEST), LATEST)

/**
 * The observations of a range, of which those behind the first `enough` may be missing. How many a day holds is known
 * only when its pieces are laid over each other, so whole days are read: as many as it takes at one observation in five
 * minutes, and more when they hold too little.
 */
export async function readStart(db: Database, point: number, range: Range, enough: number): Promise<Series> {
  const firstDay = Math.floor(range.from / DAY_MS) * DAY_MS
  for (let days = Math.ceil(enough / 288) + 1; ; days *= 8) {
    const to = Math.min(range.to, firstDay + days * DAY_MS)
    const series = await readSeries(db, point, { from: range.from, to })
    if (to === range.to || series.times.length >= enough) return series
  }
}

export interface SeriesWithBefore {
  series: Series
  /** The last value before the range. */
  before: number | undefined
}

/**
 * The observations of a range, and the last value before it, however old: if its age had a limit, a page that begins
 * behind a long gap would differ from one read of all. A sensor that speaks once a day has it in the same read.
 */
export async function readWithBefore(db: Database, point: number, range: Range): Promise<SeriesWithBefore> {
  const { times, values } = await readSeries(db, point, { from: range.from - DAY_MS, to: range.to })
  let start = 0
  while (start < times.length && times[start]! < range.from) start++
  const series = { times: times.subarray(start), values: values.subarray(start) }
  const before = start > 0 ? values[start - 1] : await lastBefore(db, point, range.from - DAY_MS)
  return { series, before }
}

/** Looks back in a few steps, so that a point with years of history is not read whole. */
async function lastBefore(db: Database, point: number, instant: number): Promise<number | undefined> {
  let to = instant
  for (const from of [to - 8 * DAY_MS, to - 400 * DAY_MS, EARLIEST]) {
    const { values } = await readSeries(db, point, { from, to })
    if (values.length > 0) return values.at(-1)
    to = from
  }
  return undefined
}
