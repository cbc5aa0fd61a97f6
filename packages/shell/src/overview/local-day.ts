export const DAY_MS = 86_400_000

/** The start of the day in a time zone, `daysBefore` days before the day of `now`; -1 is the day after it. */
export function localDayStart(now: number, timeZone: string, daysBefore = 0): number {
  const { year, month, day } = localParts(now, timeZone)
  const midnight = Date.UTC(year, month - 1, day - daysBefore)
  // The second step corrects a first guess on the other side of a clock change.
  const guess = midnight - offsetAt(midnight, timeZone)
  return midnight - offsetAt(guess, timeZone)
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
