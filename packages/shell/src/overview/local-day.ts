const DAY_MS = 86_400_000

/** When a day starts in a time zone: the day `daysBefore` days before the day of `now`, or the next day for -1. */
export function localDayStart(now: number, timeZone: string, daysBefore = 0): number {
  const today = Math.floor((now + offsetAt(now, timeZone)) / DAY_MS) * DAY_MS
  return instantOf(today - daysBefore * DAY_MS, timeZone)
}

/** When the clocks of a time zone showed the same time of day as at `instant`, on the day `daysBefore` days before. */
export const sameTimeBefore = (instant: number, timeZone: string, daysBefore: number): number =>
  instantOf(instant + offsetAt(instant, timeZone) - daysBefore * DAY_MS, timeZone)

/** The name of the weekday, `daysBefore` days before the day of `now` in a time zone. */
export function localWeekday(now: number, timeZone: string, daysBefore: number, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { timeZone, weekday: 'long' })
  return format.format(localDayStart(now, timeZone, daysBefore))
}

/**
 * When the clocks of a time zone show a local time, which is given as if it were UTC. If they show it twice, this is the
 * first time. If they skip it, this is when the clocks change.
 */
function instantOf(localTime: number, timeZone: string): number {
  const offsets = [localTime - DAY_MS, localTime + DAY_MS].map((at) => offsetAt(at, timeZone))
  const first = localTime - Math.max(...offsets)
  const last = localTime - Math.min(...offsets)
  const shown = [first, last].find((at) => at + offsetAt(at, timeZone) === localTime)
  return shown ?? clockChange(first, last, timeZone)
}

/** When the clocks of a time zone change, between an instant before the change and one that is not before it. */
function clockChange(from: number, to: number, timeZone: string): number {
  const offset = offsetAt(to, timeZone)
  let [before, after] = [from, to]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle, timeZone) === offset) after = middle
    else before = middle
  }
  return after
}

/** How far the clocks of the zone are ahead of UTC, in milliseconds. */
function offsetAt(instant: number, timeZone: string): number {
  const { year, month, day, hour, minute, second } = localParts(instant, timeZone)
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

function localParts(instant: number, timeZone: string): Record<Part, number> {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  const parts = format.formatToParts(instant).map(({ type, value }) => [type, Number(value)])
  return Object.fromEntries(parts) as Record<Part, number>
}
