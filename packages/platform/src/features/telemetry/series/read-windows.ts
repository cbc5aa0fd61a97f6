import { LIMITS } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { DayPieces } from './day-pieces.ts'
import { readWindow, type SeriesPoint } from './series.store.ts'
import type { Series } from './series.ts'
import { readSmallWindow } from './small-window.store.ts'

const DAY_MS = 86_400_000
/** Reads are limited to the time from `EARLIEST` to `LATEST`, which contains all observations. */
export const EARLIEST = LIMITS.observation.earliestMs
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')
/**
 * The intended number of observations in a window. A window may have up to twice this number, and then takes about
 * 3 MB. A month with an observation every five minutes has 8,640.
 */
const WINDOW = 100_000
/** In a sparse range, the number of days that a read covers is multiplied by this factor from read to read. */
const GROWTH_FACTOR = 8

export interface Range {
  /** Included. */
  from: number
  /** Not included. */
  to: number
}

/** What is read, and for whom. */
export interface Source {
  db: Database
  point: SeriesPoint
  /** Throws when nobody waits for the result any more. */
  check(): void
}

export interface WindowOptions {
  /** The intended number of observations in a window. A window may have up to twice this number. */
  max?: number
  /** The number of days that the first statement reads, for callers that need only the start of a long range. */
  days?: number
  /** Whether to read the sources too. Aggregations do not need them. */
  withSources?: boolean
}

/**
 * Reads the observations of a range, in order, one window at a time, because a point may be observed every millisecond
 * for years. Each window shows the state at the time of its read. Each instant is in only one window. Fails before the
 * next window when nobody waits for the result any more.
 */
export async function* readWindows(
  { db, point, check }: Source,
  range: Range,
  { max = WINDOW, days = Number.POSITIVE_INFINITY, withSources = false }: WindowOptions = {},
): AsyncGenerator<Series> {
  const end = clamped(range.to)
  const pieces = new DayPieces(max)
  let isSmall = true
  for (let from = clamped(range.from); from < end; ) {
    check()
    const firstDay = Math.floor(from / DAY_MS) * DAY_MS
    const to = Math.min(end, firstDay + days * DAY_MS, pieces.limitOf(from))
    const bounds = { from, to, max }
    const window = await db.session(async (tx) => {
      const small = isSmall ? await readSmallWindow(tx, point, bounds, withSources) : undefined
      isSmall = small !== undefined
      return small ?? (await readWindow(tx, point, bounds, pieces, withSources))
    })
    const series = window.series()
    if (series.times.length > 0) yield series
    // If the window ended early, the next read covers fewer days, so that it does not read all waiting batches.
    days = window.to < to ? Math.max(1, Math.ceil((2 * (window.to - from)) / DAY_MS)) : days * GROWTH_FACTOR
    from = window.to
  }
}

/** Whether a range has no instant between `EARLIEST` and `LATEST`. */
export const isEmpty = ({ from, to }: Range) => clamped(from) >= clamped(to)

/** Limits an instant to the time from `EARLIEST` to `LATEST`. */
export const clamped = (instant: number) => Math.min(Math.max(instant, EARLIEST), LATEST)
