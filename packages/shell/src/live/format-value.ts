import { units } from '@storey/contract'
import { type Locale, useLocale } from '@storey/web'
import { useMemo } from 'react'
import { unitDecimals } from './unit-decimals.ts'
import { UNIT_SYMBOLS_RU } from './unit-symbols-ru.ts'

const SYMBOLS = new Map(units.map(({ name, symbol }) => [name, symbol]))

/** The symbol after a number, such as °C; empty for plain numbers. */
export const unitSymbol = (unit: string, locale: Locale): string =>
  (locale === 'ru' ? UNIT_SYMBOLS_RU[unit] : undefined) ?? SYMBOLS.get(unit) ?? unit

export const squareMetres = (locale: Locale): string => unitSymbol('M2', locale)

/** The value of an observation as a number; NaN if it is a text. */
export const numberOf = (value: string): number => (value.trim() === '' ? Number.NaN : Number(value))
export const isNumeric = (value: string): boolean => Number.isFinite(numberOf(value))

export interface ValueFormat {
  /**
   * The number with the decimals of its unit. Without a known unit it has at most two decimals, fewer if it is large,
   * and two significant digits if it is below 0.01. The number gets more decimals if the rounded number would be on a
   * bound, or on the other side of it: 30.04 does not become 30.0 if 30 is a bound.
   */
  number(value: number, unit?: string, bounds?: readonly number[]): string
  /**
   * The number that `number` shows. Colours follow it, so that a value and its colour agree. Very large numbers, and
   * small ones without a known unit, are not rounded here.
   */
  rounded(value: number, unit?: string, bounds?: readonly number[]): number
  /** A bound without trailing zeros: 18 instead of 18.0. */
  bound(value: number): string
  /** Labels of axis values that are `step` apart, with enough digits to distinguish them. */
  scale(values: readonly number[], step: number): string[]
  /** A number with its unit, or a text unchanged. */
  reading(value: string, unit: string, bounds?: readonly number[]): string
}

/** Numbers from LARGEST up have an exponent, such as 1e+308. Numbers below SMALLEST have one if no unit is known. */
const [LARGEST, SMALLEST] = [1e12, 1e-6]
const MAX_DIGITS = 12
const NO_BOUNDS: readonly number[] = []

export function valueFormat(locale: Locale): ValueFormat {
  const small = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2 })
  const fixed = numberFormats(locale, (digits) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits }))
  const upTo = numberFormats(locale, (digits) => ({ maximumFractionDigits: digits }))
  const point = locale === 'ru' ? ',' : '.'
  const exponent = (value: number, digits: number) =>
    Number(value.toPrecision(digits)).toExponential().replace('.', point)
  const needsExponent = (value: number) => {
    const size = Math.abs(value)
    return size >= LARGEST || (size > 0 && size < SMALLEST)
  }
  const number = (value: number, unit = '', bounds = NO_BOUNDS) => {
    const decimals = unitDecimals(unit)
    if (Math.abs(value) >= LARGEST || (decimals === undefined && needsExponent(value))) return exponent(value, 6)
    if (decimals === undefined && isSmall(value)) return small.format(value)
    const digits = digitsFor(value, unit, bounds)
    return (decimals === undefined ? upTo : fixed)(digits).format(roundTo(value, digits))
  }
  return {
    number,
    rounded(value, unit = '', bounds = NO_BOUNDS) {
      if (!Number.isFinite(value) || Math.abs(value) >= LARGEST) return value
      if (unitDecimals(unit) === undefined && isSmall(value)) return value
      return roundTo(value, digitsFor(value, unit, bounds))
    },
    bound: (value) => (needsExponent(value) ? exponent(value, 6) : upTo(MAX_BOUND_DIGITS).format(value)),
    scale(values, step) {
      const largest = Math.max(...values.map(Math.abs))
      if (largest >= LARGEST || (largest > 0 && step < SMALLEST)) {
        const digits = Math.ceil(Math.log10(largest / step)) + 2
        return values.map((value) => (value === 0 ? '0' : exponent(value, Math.min(Math.max(digits, 1), 17))))
      }
      const format = fixed(decimalsOf(step))
      return values.map((value) => format.format(value))
    },
    reading(value, unit, bounds) {
      const amount = numberOf(value)
      if (!Number.isFinite(amount)) return value
      const symbol = unitSymbol(unit, locale)
      const text = number(amount, unit, bounds)
      return symbol === '' ? text : `${text}\u00a0${symbol}`
    },
  }
}

const MAX_BOUND_DIGITS = 6
const isSmall = (value: number) => value !== 0 && Math.abs(value) < 0.01

/**
 * Rounds the decimal form of a number, half away from zero: 17.95 to 18.0. `toFixed` rounds the binary number, which is
 * slightly less than 17.95, and would disagree with `Intl.NumberFormat`.
 */
function roundTo(value: number, digits: number): number {
  const text = String(Math.abs(value))
  if (text.includes('e')) return Number(value.toFixed(digits))
  return Math.sign(value) * Number(`${Math.round(Number(`${text}e${digits}`))}e-${digits}`)
}

/**
 * The number of decimals of the unit. Without a known unit, it depends on the size of the value. It is larger if the
 * rounded value would otherwise be on a bound, or on the other side of it.
 */
function digitsFor(value: number, unit: string, bounds: readonly number[]): number {
  const size = Math.abs(value)
  let digits = unitDecimals(unit) ?? (size >= 100 ? 0 : size >= 10 ? 1 : 2)
  const misleads = (bound: number) => Math.sign(roundTo(value, digits) - bound) !== Math.sign(value - bound)
  while (digits < MAX_BOUND_DIGITS && bounds.some(misleads)) digits++
  return digits
}

/** Returns a function that gives the format with a number of digits. Each format is created once. */
function numberFormats(locale: Locale, optionsOf: (digits: number) => Intl.NumberFormatOptions) {
  const known = new Map<number, Intl.NumberFormat>()
  return (digits: number): Intl.NumberFormat => {
    // With "negative", −0.04 with one decimal is written as 0.0 instead of −0.0.
    const found = known.get(digits) ?? new Intl.NumberFormat(locale, { ...optionsOf(digits), signDisplay: 'negative' })
    known.set(digits, found)
    return found
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
