import type { Locale } from '@storey/web'

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

/** A duration in its two largest units, such as "2 hr 5 min". */
export function durationText(ms: number, locale: Locale): string {
  const whole = Math.max(0, Math.round(ms / 1000)) * 1000
  const first = UNITS.findIndex(([, size]) => whole >= size)
  const parts = first < 0 ? [UNITS[3]] : UNITS.slice(first, first + 2)
  let rest = whole
  const texts: string[] = []
  for (const [unit, size] of parts) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count === 0 && texts.length > 0) continue
    texts.push(new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short' }).format(count))
  }
  return texts.join(' ')
}
