import { units } from '@storey/contract'
import { type Locale, useLocale } from '@storey/web'
import { useMemo } from 'react'

const SYMBOLS = new Map(units.map(({ name, symbol }) => [name, symbol]))

/** The symbol after a number, such as °C; empty for plain numbers. */
export const unitSymbol = (unit: string): string => SYMBOLS.get(unit) ?? unit

export const squareMetres = (locale: Locale): string => (locale === 'ru' ? 'м²' : 'm²')

/** The value of an observation as a number; NaN if it is a text. */
export const numberOf = (value: string): number => (value.trim() === '' ? Number.NaN : Number(value))
export const isNumeric = (value: string): boolean => Number.isFinite(numberOf(value))

export interface ValueFormat {
  /** Fewer decimals for larger numbers. */
  number(value: number): string
  /** Axis labels that differ by `step`, with enough digits to distinguish them. */
  scale(values: readonly number[], step: number): string[]
  /** A number with its unit, or a text unchanged. */
  reading(value: string, unit: string): string
}

/** Numbers outside these limits have an exponent, such as 1e+308. */
const [LARGEST, SMALLEST] = [1e12, 1e-6]
const MAX_DIGITS = 12

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

/** The number of decimals of a step: 2 for 0.25. */
function decimalsOf(step: number): number {
  let digits = 0
  while (digits < MAX_DIGITS && Math.abs(Number(step.toFixed(digits)) - step) > step * 1e-6) digits++
  return digits
}

export function useValueFormat(): ValueFormat {
  const locale = useLocale()
  return useMemo(() => valueFormat(locale), [locale])
}
