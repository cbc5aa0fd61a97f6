import { elementTypes, quantityKinds, units } from '@storey/contract'
import type { Locale } from '@storey/web'
import { unitSymbol } from '../live/format-value.ts'
import { RUSSIAN_ELEMENT_TYPES, RUSSIAN_QUANTITIES, RUSSIAN_UNITS } from './catalog-names-ru.ts'

/** The catalogs are in English. A key that is in no catalog is returned unchanged. */
const nameLookup =
  (english: ReadonlyMap<string, string>, russian: Readonly<Record<string, string>>) =>
  (key: string, locale: Locale): string =>
    (locale === 'ru' && Object.hasOwn(russian, key) ? russian[key] : undefined) ?? english.get(key) ?? key

export const elementTypeName = nameLookup(
  new Map(elementTypes.map(({ slug, name }) => [slug, name])),
  RUSSIAN_ELEMENT_TYPES,
)
export const quantityName = nameLookup(
  new Map(quantityKinds.map(({ name, label }) => [name, label])),
  RUSSIAN_QUANTITIES,
)
export const unitName = nameLookup(new Map(units.map(({ name, label }) => [name, label])), RUSSIAN_UNITS)

/** The symbol of a unit, or its name if it has no symbol. */
export const unitText = (unit: string, locale: Locale): string => unitSymbol(unit, locale) || unitName(unit, locale)

/** Translates the English label of a quantity in a fault title. The title omits the part of the label in brackets. */
export function translateQuantity(english: string, locale: Locale): string {
  const found = quantityKinds.find(({ label }) => label.replace(/ \(.*\)$/, '') === english)
  return found ? quantityName(found.name, locale).replace(/ \(.*\)$/, '') : english
}
