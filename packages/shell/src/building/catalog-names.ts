import { elementTypes, quantityKinds, units } from '@storey/contract'
import type { Locale } from '@storey/web'
import { unitSymbol } from '../live/format-value.ts'
import { RUSSIAN_ELEMENT_TYPES, RUSSIAN_QUANTITIES, RUSSIAN_UNITS } from './catalog-names-ru.ts'

/** The catalogs are in English; what they do not have stays as it is. */
const namer =
  (english: ReadonlyMap<string, string>, russian: Readonly<Record<string, string>>) =>
  (key: string, locale: Locale): string =>
    (locale === 'ru' && Object.hasOwn(russian, key) ? russian[key] : undefined) ?? english.get(key) ?? key

export const elementTypeName = namer(new Map(elementTypes.map(({ slug, name }) => [slug, name])), RUSSIAN_ELEMENT_TYPES)
export const quantityName = namer(new Map(quantityKinds.map(({ name, label }) => [name, label])), RUSSIAN_QUANTITIES)
export const unitName = namer(new Map(units.map(({ name, label }) => [name, label])), RUSSIAN_UNITS)

/** A unit by itself, such as in a list of facts or a change: its symbol, or in words that it has none. */
export const unitText = (unit: string, locale: Locale): string => unitSymbol(unit) || unitName(unit, locale)

/** A quantity by its English name, as the platform writes it in a sentence: without what it explains in brackets. */
export function quantityInWords(english: string, locale: Locale): string {
  const found = quantityKinds.find(({ label }) => label.replace(/ \(.*\)$/, '') === english)
  return found ? quantityName(found.name, locale).replace(/ \(.*\)$/, '') : english
}
