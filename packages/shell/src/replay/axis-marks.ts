import type { ReplayWindow } from './window.ts'

export interface AxisMark {
  /** From 0 at the start of the window to 1 at its end. */
  place: number
  label: string
}

/** In every time zone, each full hour begins at a multiple of this since the epoch. */
const QUARTER_MS = 900_000
const MAX_PLACE = 0.93
/** Only hours that are multiples of this have a label. */
const HOURS: Record<ReplayWindow['range'], number> = { day: 4, week: 24, month: 24 }
/** The label of the start of a day is the date. Only one of this many days has a label. */
const DAYS: Record<ReplayWindow['range'], number> = { day: 1, week: 1, month: 5 }

/**
 * The labels under the slider, in the time zone of the building. A window of a day has hours and a date, and a longer
 * window has only dates.
 */
export function axisMarks(window: ReplayWindow, locale: string, timeZone: string): AxisMark[] {
  const { range, from, to } = window
  const tag = locale === 'en' ? 'en-GB' : locale
  const clock = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone })
  const date = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', timeZone })
  const marks: AxisMark[] = []
  let days = 0
  for (let at = Math.ceil(from / QUARTER_MS) * QUARTER_MS; at < to; at += QUARTER_MS) {
    const time = clock.format(at)
    if (!time.endsWith(':00')) continue
    const hour = Number.parseInt(time, 10)
    // If the clocks skip midnight, the day begins at one o'clock. If they show midnight twice, it begins at the first.
    const isNewDay = date.format(at) !== date.format(at - QUARTER_MS)
    if (isNewDay ? days++ % DAYS[range] !== 0 : hour === 0 || hour % HOURS[range] !== 0) continue
    const place = (at - from) / (to - from)
    // A label at the end would be cut off.
    if (place < MAX_PLACE) marks.push({ place, label: isNewDay ? date.format(at) : time })
  }
  return marks
}
