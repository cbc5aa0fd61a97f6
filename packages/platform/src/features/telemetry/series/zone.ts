const DAY_MS = 86_400_000

/** The calendar of a time zone. */
export interface Zone {
  /** Days from the epoch to the local date of an instant. */
  localDay(instant: number): number
  /** The first instant of a local day. */
  startOf(day: number): number
}

export function createZone(timezone: string): Zone {
  const offsetAt = knownOffsets(timezone)
  /** Caches the last result of `startOf`, because the end of a bucket is the start of the next one. */
  let last = { day: Number.NaN, start: 0 }
  return {
    localDay: (instant) => Math.floor((instant + offsetAt(instant)) / DAY_MS),
    startOf(day) {
      if (day !== last.day) last = { day, start: firstInstant(day * DAY_MS, offsetAt) }
      return last.start
    },
  }
}

/** The difference of local time to UTC at an instant, in milliseconds. */
type OffsetAt = (instant: number) => number

/** The offsets of the time zones that were used last. The offsets of one time zone take 1 MB. */
const zones = new Map<string, OffsetAt>()
const MAX_ZONES = 8

function knownOffsets(timezone: string): OffsetAt {
  const offsetAt = zones.get(timezone) ?? rememberOffsets(offsetsOf(timezone))
  zones.delete(timezone)
  zones.set(timezone, offsetAt)
  const [oldest] = zones.keys()
  if (zones.size > MAX_ZONES) zones.delete(oldest!)
  return offsetAt
}

export function offsetsOf(timezone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    era: 'short',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  return (instant) => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]))
    const number = (type: string) => Number(parts[type])
    // Date.UTC is not used, since it reads the years 0 to 99 as 1900 to 1999.
    const local = new Date(0)
    const year = parts.era === 'BC' ? 1 - number('year') : number('year')
    local.setUTCFullYear(year, number('month') - 1, number('day'))
    local.setUTCHours(number('hour'), number('minute'), number('second'))
    return local.getTime() - Math.floor(instant / 1000) * 1000
  }
}

/** Before this time every place has its own local mean time, so no offset changes. */
const FIRST_CHANGE = Date.UTC(1800, 0)
/** From this time on the rules of all time zones repeat with the calendar, every 400 years. */
const REPEATS_FROM = Date.UTC(2100, 0)
const CYCLE_MS = 146_097 * DAY_MS
const FIRST_DAY = FIRST_CHANGE / DAY_MS
const LAST_DAY = (REPEATS_FROM + CYCLE_MS) / DAY_MS
/** Stands for an unknown offset: every offset is shorter than a day. */
const UNKNOWN = 2 ** 31 - 1

/**
 * Caches the offset at the start of each UTC day. The offset at another instant is computed only on days on which the
 * offset changes. `offsetAt` takes about ten microseconds, and a range can have a million days.
 */
export function rememberOffsets(offsetAt: OffsetAt): OffsetAt {
  const offsets = new Int32Array(LAST_DAY - FIRST_DAY + 1).fill(UNKNOWN)
  const atStartOf = (day: number): number => {
    const known = offsets[day - FIRST_DAY]!
    if (known !== UNKNOWN) return known
    const offset = offsetAt(day * DAY_MS)
    offsets[day - FIRST_DAY] = offset
    return offset
  }
  return (instant) => {
    let same = Math.max(instant, FIRST_CHANGE)
    if (same >= REPEATS_FROM + CYCLE_MS) same = REPEATS_FROM + ((same - REPEATS_FROM) % CYCLE_MS)
    const day = Math.floor(same / DAY_MS)
    const offset = atStartOf(day)
    return offset === atStartOf(day + 1) ? offset : offsetAt(same)
  }
}

/**
 * The first instant whose local time is `local` or later. If the clocks skip midnight, the day begins at the end of the
 * gap. If midnight comes twice, the first midnight counts.
 */
function firstInstant(local: number, offsetAt: OffsetAt): number {
  const before = offsetAt(local - DAY_MS)
  const after = offsetAt(local + DAY_MS)
  const candidates = [local - Math.max(before, after), local - Math.min(before, after)]
  const hit = candidates.find((instant) => instant + offsetAt(instant) === local)
  if (hit !== undefined) return hit
  let [low, high] = candidates as [number, number]
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000
    if (middle + offsetAt(middle) >= local) high = middle
    else low = middle
  }
  return high
}
