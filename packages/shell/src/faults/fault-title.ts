import { faultTitles } from '@storey/contract'
import { type Locale, useLocale } from '@storey/web'
import { useCallback } from 'react'
import { quantityInWords } from '../building/catalog-names.ts'

const UNITS: Readonly<Record<string, string>> = { d: 'сут', h: 'ч', min: 'мин', s: 'с' }
const durationIn = (duration: string) => duration.replace(/\w+$/, (unit) => UNITS[unit] ?? unit)
const measuredIn = (what: string) => (what === 'Value' ? 'Значение' : quantityInWords(what, 'ru'))

/** What is wrong, in the reader's language; what is none of the platform's own sentences stays as it is. */
export function faultTitleIn(title: string, locale: Locale): string {
  const read = locale === 'en' ? undefined : faultTitles.read(title)
  if (!read) return title
  const { form, parts } = read
  switch (form) {
    case 'alarm':
      return `Тревога: ${parts.place}`
    case 'silent':
      return `Нет данных ${durationIn(parts.duration)}: ${parts.place}`
    case 'stuck':
      return `${measuredIn(parts.what)}: без изменений ${durationIn(parts.duration)}: ${parts.place}`
  }
  const side = form.startsWith('above') ? 'выше' : 'ниже'
  const duration = 'duration' in parts ? ` в течение ${durationIn(parts.duration)}` : ''
  return `${measuredIn(parts.what)} ${side} ${parts.bound}${duration}: ${parts.place}`
}

export function useFaultTitle(): (title: string) => string {
  const locale = useLocale()
  return useCallback((title) => faultTitleIn(title, locale), [locale])
}
