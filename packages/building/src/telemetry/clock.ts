/** A day of telemetry is a UTC day in steps of five minutes. */
export const DAY_MS = 86_400_000
export const STEP_MS = 300_000
export const STEPS = DAY_MS / STEP_MS

/** Local time at each step of a UTC day. */
export interface DayClock {
  /** Hours since local midnight, with fractions. */
  hour: Float64Array
  /** 0 is Sunday; a public holiday counts as a Sunday. */
  weekday: Uint8Array
}

/** Minutes that Berlin is ahead of UTC, by the EU's summer time rule, so that no time zone database is needed. */
export function berlinOffsetMinutes(timeMs: number): number {
  const year = new Date(timeMs).getUTCFullYear()
  let summer = summers.get(year)
  if (!summer) {
    summer = { fromMs: lastSunday(year, 2), toMs: lastSunday(year, 9) }
    summers.set(year, summer)
  }
  return timeMs >= summer.fromMs && timeMs < summer.toMs ? 120 : 60
}

/** A cache of the start and end of summer time by year, because they are needed thousands of times. */
const summers = new Map<number, { fromMs: number; toMs: number }>()

/** 01:00 UTC on the last Sunday of a month with 31 days. */
function lastSunday(year: number, month: number): number {
  const last = Date.UTC(year, month, 31, 1)
  return last - new Date(last).getUTCDay() * DAY_MS
}

export function dayClock(dayStartMs: number): DayClock {
  const hour = new Float64Array(STEPS)
  const weekday = new Uint8Array(STEPS)
  let knownDay = Number.NaN
  let day = 0
  // The offset changes at a full hour of UTC, so it is looked up once for each hour.
  for (let utcHour = 0; utcHour < 24; utcHour++) {
    const offset = berlinOffsetMinutes(dayStartMs + utcHour * 3_600_000)
    const localMs = dayStartMs + utcHour * 3_600_000 + offset * 60_000
    const localDay = Math.floor(localMs / DAY_MS)
    const startHour = (localMs - localDay * DAY_MS) / 3_600_000
    if (localDay !== knownDay) {
      day = isHoliday(localDay) ? 0 : weekdayOf(localDay)
      knownDay = localDay
    }
    for (let i = 0; i < 12; i++) {
      hour[utcHour * 12 + i] = startHour + i / 12
      weekday[utcHour * 12 + i] = day
    }
  }
  return { hour, weekday }
}

/** 1 January 1970 was a Thursday. */
const weekdayOf = (epochDay: number) => (((epochDay + 4) % 7) + 7) % 7

/** The nationwide public holidays of Germany that have a fixed date. */
function isHoliday(epochDay: number): boolean {
  const date = new Date(epochDay * DAY_MS)
  const monthDay = (date.getUTCMonth() + 1) * 100 + date.getUTCDate()
  return monthDay === 101 || monthDay === 501 || monthDay === 1003 || monthDay === 1225 || monthDay === 1226
}
