import type { Locale } from '@storey/web'

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** The duration of an interval: “1 hour”, “5 minutes”. */
export function durationText(ms: number, locale: Locale): string {
  const [unit, size] = UNITS.find(([, size]) => ms % size === 0) ?? UNITS[2]
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(ms / size)
}

/** The duration after “per”: “hour”, “5 minutes”. */
export const perText = (ms: number, locale: Locale): string => durationText(ms, locale).replace(/^1\s/, '')
