import { faultTitles } from '@storey/contract'
import { type Locale, useLocale } from '@storey/web'
import { useCallback } from 'react'
import { translateQuantity } from '../building/catalog-names.ts'

const UNITS: Readonly<Record<string, string>> = { d: 'сут', h: 'ч', min: 'мин', s: 'с' }
const russianDuration = (duration: string) => duration.replace(/\w+$/, (unit) => UNITS[unit] ?? unit)
const russianQuantity = (what: string) => (what === 'Value' ? 'Значение' : translateQuantity(what, 'ru'))

/** Translates a fault title of the platform. An unknown title is returned unchanged. */
export function translateFaultTitle(title: string, locale: Locale): string {
  const read = locale === 'en' ? undefined : faultTitles.read(title)
  if (!read) return title
  const { form, parts } = read
  switch (form) {
    case 'alarm':
      return `Тревога: ${parts.place}`
    case 'silent':
      return `Нет данных ${russianDuration(parts.duration)}: ${parts.place}`
    case 'stuck':
      return `${russianQuantity(parts.what)}: без изменений ${russianDuration(parts.duration)}: ${parts.place}`
  }
  const side = form.startsWith('above') ? 'выше' : 'ниже'
  const duration = 'duration' in parts ? ` в течение ${russianDuration(parts.duration)}` : ''
  return `${russianQuantity(parts.what)} ${side} ${parts.bound}${duration}: ${parts.place}`
}

/** The bound in the title of a fault, as the rule had it when the fault was detected. */
export function faultBounds(title: string): number[] {
  const read = faultTitles.read(title)
  return read && 'bound' in read.parts ? [Number.parseFloat(read.parts.bound)].filter(Number.isFinite) : []
}

export function useFaultTitle(): (title: string) => string {
  const locale = useLocale()
  return useCallback((title) => translateFaultTitle(title, locale), [locale])
}
