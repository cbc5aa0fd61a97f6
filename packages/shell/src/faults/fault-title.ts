import { type Locale, useLocale } from '@storey/web'
import { useCallback } from 'react'
import { quantityInWords } from '../building/catalog-names.ts'

const DURATION = '(?<n>\\d+) (?<unit>d|h|min|s)'
const UNITS: Readonly<Record<string, string>> = { d: 'сут', h: 'ч', min: 'мин', s: 'с' }
const durationIn = ({ n, unit }: Parts) => `${n} ${UNITS[unit!]}`
const measuredIn = ({ what }: Parts) => (what === 'Value' ? 'Значение' : quantityInWords(what!, 'ru'))

type Parts = Readonly<Record<string, string | undefined>>

/** What the platform writes of a fault, form by form: it says it in English alone. */
const FORMS: readonly [form: RegExp, say: (parts: Parts) => string][] = [
  [/^Alarm: (?<place>.+)$/su, ({ place }) => `Тревога: ${place}`],
  [
    new RegExp(`^No observation for ${DURATION}: (?<place>.+)$`, 'su'),
    (parts) => `Нет данных ${durationIn(parts)}: ${parts.place}`,
  ],
  [
    new RegExp(`^(?<what>[^:]+) unchanged for ${DURATION}: (?<place>.+)$`, 'su'),
    (parts) => `${measuredIn(parts)}: без изменений ${durationIn(parts)}: ${parts.place}`,
  ],
  [
    new RegExp(
      `^(?<what>[^:]+) (?<side>above|below) (?<bound>-?[\\d.e+-]+(?: [^:]+?)??)(?: for ${DURATION})?: (?<place>.+)$`,
      'su',
    ),
    (parts) => {
      const side = parts.side === 'above' ? 'выше' : 'ниже'
      const duration = parts.n === undefined ? '' : ` в течение ${durationIn(parts)}`
      return `${measuredIn(parts)} ${side} ${parts.bound}${duration}: ${parts.place}`
    },
  ],
]

/** What is wrong, in the reader's language; a form that is not known here stays as it is. */
export function faultTitleIn(title: string, locale: Locale): string {
  if (locale === 'en') return title
  for (const [form, say] of FORMS) {
    const found = form.exec(title)
    if (found) return say({ ...found.groups })
  }
  return title
}

export function useFaultTitle(): (title: string) => string {
  const locale = useLocale()
  return useCallback((title) => faultTitleIn(title, locale), [locale])
}
