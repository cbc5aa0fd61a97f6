import type { Locale } from '@storey/web'

/** Units with their length in seconds, largest first. */
export const DURATION_UNITS = { d: 86_400, h: 3_600, min: 60, s: 1 } as const
export type DurationUnit = keyof typeof DURATION_UNITS

const RUSSIAN: Record<DurationUnit, string> = { d: 'сут', h: 'ч', min: 'мин', s: 'с' }

export const durationUnitName = (unit: DurationUnit, locale: Locale): string => (locale === 'ru' ? RUSSIAN[unit] : unit)

/** The largest unit in which the duration is a whole number; minutes for 0. */
export function splitDuration(seconds: number): { amount: number; unit: DurationUnit } {
  const units = Object.keys(DURATION_UNITS) as DurationUnit[]
  const unit = seconds === 0 ? 'min' : units.find((one) => seconds % DURATION_UNITS[one] === 0)!
  return { amount: seconds / DURATION_UNITS[unit], unit }
}

export function durationText(seconds: number, locale: Locale): string {
  const { amount, unit } = splitDuration(seconds)
  return `${amount}\u00a0${durationUnitName(unit, locale)}`
}
