import { faultTitles, units } from '@storey/contract'
import { type Locale, nodeName, useLocale } from '@storey/web'
import { useCallback } from 'react'
import { translateQuantity } from '../building/catalog-names.ts'
import { unitSymbol, valueFormat } from '../live/format-value.ts'

const UNITS: Readonly<Record<string, string>> = { d: 'сут', h: 'ч', min: 'мин', s: 'с' }
const russianDuration = (duration: string) => duration.replace(/\w+$/, (unit) => UNITS[unit] ?? unit)
const russianQuantity = (what: string) => (what === 'Value' ? 'Значение' : translateQuantity(what, 'ru'))

/** `1000.5 L/s` becomes `1 000,5 л/с`. */
function russianBound(bound: string): string {
  const [, amount = '', symbol = ''] = /^(\S+)(?: (.+))?$/.exec(bound) ?? []
  if (!Number.isFinite(Number.parseFloat(amount))) return bound
  const unit = units.find((one) => one.symbol === symbol)?.name ?? symbol
  return [valueFormat('ru').bound(Number(amount)), unitSymbol(unit, 'ru')].filter((part) => part !== '').join(' ')
}

/**
 * Translates the names of a point and its equipment, which a comma separates. The names may contain commas too, so the
 * text is split at the first comma where one of the two names has a translation.
 */
function russianPlace(place: string): string {
  const commas = [...place.matchAll(/, /g)].map(({ index }) => index)
  for (const at of commas) {
    const [point, element] = [place.slice(0, at), place.slice(at + 2)]
    const names = [nodeName('point', point, 'ru'), nodeName('element', element, 'ru')]
    if (names[0] !== point || names[1] !== element) return names.join(', ')
  }
  return place
}

/** Translates a fault title of the platform. An unknown title is returned unchanged. */
export function translateFaultTitle(title: string, locale: Locale): string {
  const read = locale === 'en' ? undefined : faultTitles.read(title)
  if (!read) return title
  const { form, parts } = read
  const place = russianPlace(parts.place)
  switch (form) {
    case 'alarm':
      return `Тревога: ${place}`
    case 'silent':
      return `Нет данных ${russianDuration(parts.duration)}: ${place}`
    case 'stuck':
      return `${russianQuantity(parts.what)}: без изменений ${russianDuration(parts.duration)}: ${place}`
  }
  const side = form.startsWith('above') ? 'выше' : 'ниже'
  const duration = 'duration' in parts ? ` в течение ${russianDuration(parts.duration)}` : ''
  return `${russianQuantity(parts.what)} ${side} ${russianBound(parts.bound)}${duration}: ${place}`
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
