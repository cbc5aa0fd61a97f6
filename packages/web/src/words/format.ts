import { useMemo } from 'react'
import { type Locale, useLocale } from './locale.ts'

type Moment = string | number | Date

export interface Format {
  number(value: number, digits?: number): string
  percent(share: number): string
  date(moment: Moment): string
  time(moment: Moment): string
  dateTime(moment: Moment): string
  /** "in 3 days", "2 minutes ago". */
  relative(moment: Moment, now?: number): string
  list(items: readonly string[]): string
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

export function formatFor(locale: Locale): Format {
  // British order of day and month: nobody reads it the wrong way round.
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
    date: (moment) => date.format(new Date(moment)),
    time: (moment) => time.format(new Date(moment)),
    dateTime: (moment) => dateTime.format(new Date(moment)),
    relative(moment, now = Date.now()) {
      const seconds = (new Date(moment).getTime() - now) / 1000
      // By what it is once rounded: 59.9 minutes are an hour.
      const inFiner = (i: number) => STEPS[i + 1]?.[1] ?? 1
      const reaches = (step: number, finer: number) => Math.round(Math.abs(seconds) / finer) * finer >= step
      const [unit, size] = STEPS.find(([, step], i) => reaches(step, inFiner(i))) ?? ['second', 1]
      return relative.format(Math.round(seconds / size), unit)
    },
    list: (items) => list.format(items),
  }
}

export function useFormat(): Format {
  const locale = useLocale()
  return useMemo(() => formatFor(locale), [locale])
}
