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
  /** A reading with its unit; a text as it is. */
  reading(value: string, unit: string): string
}

export function valueFormat(locale: Locale): ValueFormat {
  const formats = [0, 1, 2].map((digits) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }))
  const number = (value: number) => {
    const size = Math.abs(value)
    return formats[size >= 100 ? 0 : size >= 10 ? 1 : 2]!.format(value)
  }
  return {
    number,
    reading(value, unit) {
      const amount = numberOf(value)
      if (!Number.isFinite(amount)) return value
      const symbol = unitSymbol(unit)
      return symbol === '' ? number(amount) : `${number(amount)}\u00a0${symbol}`
    },
  }
}

export function useValueFormat(): ValueFormat {
  const locale = useLocale()
  return useMemo(() => valueFormat(locale), [locale])
}
