import { LIMITS } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { DayPieces } from './day-pieces.ts'
import { readWindow } from './series.store.ts'
import type { Series } from './series.ts'

const DAY_MS = 86_400_000
/** The years that a day has in the database. */
export const EARLIEST = LIMITS.observation.earliestMs
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')
/** Observations in a window, or up to twice as many: some 3 MB while it is read. A month of five minutes has 8,640. */
const WINDOW = 100_000
/** A range turned out to be sparse: so many times as many days are read at once. */
const WIDER = 8

export interface Range {
  /** Included. */
  from: number
  /** Not included. */
  to: number
}

export interface WindowOptions {
  /** Observations that are read at once, or up to twice as many. */
  most?: number
  /** Days that the first statement looks at: for whoever needs only the start of a long range. */
  days?: number
  /** Aggregations do not need to know who sent what. */
  withSources?: boolean
}

/**
 * The observations of a range, in order, a bounded number at a time: a point may be observed every millisecond for years.
 * Each window is as of the moment in which it is read; each instant is met once.
 */
export async function* readWindows(
  db: Database,
  point: number,
  range: Range,
  { most = WINDOW, days = Number.POSITIVE_INFINITY, withSources = false }: WindowOptions = {},
): AsyncGenerator<Series> {
  const end = clamped(range.to)
  const pieces = new DayPieces(most)
  for (let from = clamped(range.from); from < end; ) {
    const firstDay = Math.floor(from / DAY_MS) * DAY_MS
    const to = Math.min(end, firstDay + days * DAY_MS, pieces.limitOf(from))
    const bounds = { from, to, most }
    const window = await db.session((tx) => readWindow(tx, point, bounds, pieces, withSources))
    const series = window.series()
    if (series.times.length > 0) yield series
    // Looking no further than needed keeps what waits to be folded from being read for every window.
    days = window.to < to ? Math.max(1, Math.ceil((2 * (window.to - from)) / DAY_MS)) : days * WIDER
    from = window.to
  }
}

const clamped = (instant: number) => Math.min(Math.max(instant, EARLIEST), LATEST)
