import { type Locale, useLocale } from './locale.ts'

type Instant = string | number | Date

export interface Format {
  number(value: number, digits?: number): string
  percent(share: number): string
  date(instant: Instant): string
  time(instant: Instant): string
  dateTime(instant: Instant): string
  /** "in 3 days", "2 minutes ago". */
  relative(instant: Instant, now?: number): string
  list(items: readonly string[]): string
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

export function formatFor(locale: Locale): Format {
  // en-GB writes the day before the month and the time with 24 hours: 15 Nov 2026, 14:05.
  const tag = locale === 'en' ? 'en-GB' : locale
  const date = new Intl.DateTimeFormat(tag, { dateStyle: 'medium' })
  const time = new Intl.DateTimeFormat(tag, { timeStyle: 'short' })
  const dateTime = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' })
  const percent = new Intl.NumberFormat(tag, { style: 'percent' })
  const list = new Intl.ListFormat(tag, { type: 'conjunction' })
  const numbers = new Map<number, Intl.NumberFormat>()
  const numberFormat = (digits: number) => {
    const known = numbers.get(digits) ?? new Intl.NumberFormat(tag, { maximumFractionDigits: digits })
    numbers.set(digits, known)
    return known
  }
  return {
    number: (value, digits = 0) => numberFormat(digits).format(value),
    percent: (share) => percent.format(share),
    date: (instant) => date.format(new Date(instant)),
    time: (instant) => time.format(new Date(instant)),
    dateTime: (instant) => dateTime.format(new Date(instant)),
    relative(instant, now = Date.now()) {
      const seconds = (new Date(instant).getTime() - now) / 1000
      // The unit is chosen after rounding: 59.9 minutes are an hour.
      const nextSize = (i: number) => UNITS[i + 1]?.[1] ?? 1
      const fits = (size: number, smaller: number) => Math.round(Math.abs(seconds) / smaller) * smaller >= size
      const [unit, size] = UNITS.find(([, unitSize], i) => fits(unitSize, nextSize(i))) ?? ['second', 1]
      return relative.format(Math.round(seconds / size), unit)
    },
    list: (items) => list.format(items),
  }
}

/** Formats are cached: they are slow to create, and a long table uses one in each cell. */
const formats = new Map<Locale, Format>()

export function useFormat(): Format {
  const locale = useLocale()
  const format = formats.get(locale) ?? formatFor(locale)
  formats.set(locale, format)
  return format
}
