import { INTERVAL } from '@storey/contract'
import { createZone } from './zone.ts'

const DAY_MS = 86_400_000
/** Days from the epoch, a Thursday, back to the Monday before it. */
const MONDAY_SHIFT = 3
const FIXED_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 }

/** The bucket of an instant. */
export interface Bucket {
  start: number
  /** Start of the next bucket. */
  end: number
}

export type BucketOf = (instant: number) => Bucket

/**
 * Buckets of an interval such as `5m` or `1mo`. Seconds, minutes and hours are counted from the epoch; days, weeks
 * (from Monday) and months follow the calendar of the time zone, so that a day has 23 or 25 hours when clocks change.
 */
export function bucketsOf(interval: string, timezone: string): BucketOf {
  const [, digits, unit] = INTERVAL.exec(interval)!
  const n = Number(digits)
  const fixed = FIXED_MS[unit!]
  if (fixed !== undefined) {
    const size = n * fixed
    return (instant) => {
      const start = Math.floor(instant / size) * size
      return { start, end: start + size }
    }
  }
  const zone = createZone(timezone)
  const between = unit === 'mo' ? monthsOf(n) : daysOf(unit === 'w' ? 7 * n : n, unit === 'w' ? MONDAY_SHIFT : 0)
  return (instant) => {
    const [first, next] = between(zone.localDay(instant))
    return { start: zone.startOf(first), end: zone.startOf(next) }
  }
}

/** The local days on which a bucket and the next one begin, from the local day of an instant. */
type Between = (day: number) => [first: number, next: number]

function daysOf(n: number, shift: number): Between {
  return (day) => {
    const first = Math.floor((day + shift) / n) * n - shift
    return [first, first + n]
  }
}

function monthsOf(n: number): Between {
  const firstDay = (month: number) => Date.UTC(0, month) / DAY_MS
  return (day) => {
    const date = new Date(day * DAY_MS)
    // Date.UTC reads the years 0 to 99 as 1900 to 1999, so months are counted from January 1900.
    const month = (date.getUTCFullYear() - 1900) * 12 + date.getUTCMonth()
    const sinceEpoch = month - 70 * 12
    const first = Math.floor(sinceEpoch / n) * n + 70 * 12
    return [firstDay(first), firstDay(first + n)]
  }
}

/** Names that were found valid. Cached, because a check takes 0.2 ms. */
const timezones = new Set<string>()
/** The cache needs a limit: any mixture of upper and lower case is valid, so each name has very many forms. */
const MAX_TIMEZONES = 1000

/** True for a name that the time zone database holds. */
export function isTimezone(name: string): boolean {
  if (timezones.has(name)) return true
  if (!isInDatabase(name)) return false
  if (timezones.size >= MAX_TIMEZONES) timezones.clear()
  timezones.add(name)
  return true
}

function isInDatabase(name: string): boolean {
  // The runtime also accepts offsets such as +02:00, which are not names.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
