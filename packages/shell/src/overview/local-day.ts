/** When a day starts in a time zone: the day `daysBefore` days before the day of `now`, or the next day for -1. */
export function localDayStart(now: number, timeZone: string, daysBefore = 0): number {
  const { year, month, day } = localParts(now, timeZone)
  const midnight = Date.UTC(year, month - 1, day - daysBefore)
  const guess = midnight - offsetAt(midnight, timeZone)
  // Corrects the guess if the clocks change between midnight in UTC and midnight in the zone.
  const start = midnight - offsetAt(guess, timeZone)
  // Some zones skip midnight when the clocks change. The day then starts with the change, and `start` is before it.
  return start + offsetAt(start, timeZone) < midnight ? guess : start
}

/** The name of the weekday, `daysBefore` days before the day of `now` in a time zone. */
export function localWeekday(now: number, timeZone: string, daysBefore: number, locale: string): string {
  const format = new Intl.DateTimeFormat(locale, { timeZone, weekday: 'long' })
  return format.format(localDayStart(now, timeZone, daysBefore))
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
