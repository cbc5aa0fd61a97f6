import { units } from '@storey/contract'
import { type Locale, useLocale } from '@storey/web'
import { useMemo } from 'react'

const SYMBOLS = new Map(units.map(({ name, symbol }) => [name, symbol]))

/** As it is written behind a number: °C, kWh; nothing for plain numbers. */
export const unitSymbol = (unit: string): string => SYMBOLS.get(unit) ?? unit

export const squareMetres = (locale: Locale): string => (locale === 'ru' ? 'м²' : 'm²')

/** What was observed, as a number; NaN where it is a word. */
export const numberOf = (value: string): number => (value.trim() === '' ? Number.NaN : Number(value))
export const isNumeric = (value: string): boolean => Number.isFinite(numberOf(value))

export interface ValueFormat {
  /** As many digits as the size of the number is worth. */
  number(value: number): string
  /** Numbers below each other that differ by `step`: with as many digits as tell them apart. */
  scale(values: readonly number[], step: number): string[]
  /** A reading with its unit; a text as it is. */
  reading(value: string, unit: string): string
}

/** Beyond these a number is written with an exponent, as legends write it: 1e+308. */
const [LARGEST, SMALLEST] = [1e12, 1e-6]
const MOST_DIGITS = 12

export function valueFormat(locale: Locale): ValueFormat {
  const formats = [0, 1, 2].map((digits) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }))
  const small = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 })
  const point = locale === 'ru' ? ',' : '.'
  const exponent = (value: number, digits: number) =>
    Number(value.toPrecision(digits)).toExponential().replace('.', point)
  const number = (value: number) => {
    const size = Math.abs(value)
    if (size >= LARGEST || (size > 0 && size < SMALLEST)) return exponent(value, 6)
    if (size > 0 && size < 0.01) return small.format(value)
    return formats[size >= 100 ? 0 : size >= 10 ? 1 : 2]!.format(value)
  }
  return {
    number,
    scale(values, step) {
      const largest = Math.max(...values.map(Math.abs))
      if (largest >= LARGEST || (largest > 0 && step < SMALLEST)) {
        const digits = Math.ceil(Math.log10(largest / step)) + 2
        return values.map((value) => (value === 0 ? '0' : exponent(value, Math.min(Math.max(digits, 1), 17))))
      }
      const digits = decimalsOf(step)
      const format = new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
      return values.map((value) => format.format(value))
    },
    reading(value, unit) {
      const amount = numberOf(value)
      if (!Number.isFinite(amount)) return value
      const symbol = unitSymbol(unit)
      return symbol === '' ? number(amount) : `${number(amount)}\u00a0${symbol}`
    },
  }
}

/** How many decimals a step has: 2 for 0.25. */
function decimalsOf(step: number): number {
  let digits = 0
  while (digits < MOST_DIGITS && Math.abs(Number(step.toFixed(digits)) - step) > step * 1e-6) digits++
  return digits
}

export function useValueFormat(): ValueFormat {
  const locale = useLocale()
  return useMemo(() => valueFormat(locale), [locale])
}
