import { type LegendEntry, rampOf } from '@storey/contract'

/** A colour for the numbers from `from` (inclusive) to `below` (exclusive). */
export interface Band {
  key: string
  label: string
  color: string
  from: number
  below: number
}

export type Theme = 'light' | 'dark'
type Ramp = Readonly<Record<Theme, readonly string[]>>

/**
 * People with colour blindness can distinguish these colours. On a dark page the usual values are dark and unusual
 * values are bright, so that the unusual ones stand out there too.
 */
const COLD_TO_HOT: Ramp = {
  light: ['#4575b4', '#91bfdb', '#d9eef3', '#fee090', '#fc8d59', '#d73027'],
  dark: ['#6ea6f0', '#3d75b3', '#27475c', '#6b5620', '#c06a2a', '#f0604d'],
}
/** From teal through yellow to red. */
const GOOD_TO_BAD: Ramp = {
  light: ['#d5ece8', '#8fcabf', '#e9c46a', '#d9853b', '#a63d2f'],
  dark: ['#1d3f3a', '#2a6459', '#85702b', '#c0742c', '#f0604d'],
}
export const LOW_TO_HIGH: Ramp = {
  light: ['#e3f0ef', '#b0d8d4', '#73b6b0', '#3c8f89', '#155e5a'],
  dark: ['#1c3434', '#245251', '#2f7672', '#46a39d', '#86dcd3'],
}

/** Customary bounds by quantity kind and unit. */
const KNOWN: Record<string, readonly [bounds: readonly number[], ramp: Ramp]> = {
  'Temperature DEG_C': [[18, 20, 22, 24, 26], COLD_TO_HOT],
  'Temperature DEG_F': [[64, 68, 72, 75, 79], COLD_TO_HOT],
  'MoleFraction PPM': [[600, 800, 1000, 1400], GOOD_TO_BAD],
  'RelativeHumidity PERCENT_RH': [[30, 40, 60, 70], LOW_TO_HIGH],
  'RelativeHumidity PERCENT': [[30, 40, 60, 70], LOW_TO_HIGH],
  'DimensionlessRatio PERCENT': [[20, 40, 60, 80], LOW_TO_HIGH],
  'Illuminance LUX': [[50, 200, 500, 1000], LOW_TO_HIGH],
}

export interface BoundFormat {
  /** The number that is shown for a value. */
  round(value: number): number
  /** The text of a bound. */
  bound(value: number): string
  /** The theme whose colours are used; light when absent. */
  theme?: Theme
}

/**
 * The bands of a quantity. Without customary bounds the range of the numbers is divided into five bands of equal width,
 * or one band if all numbers are equal. The bounds of these bands are rounded like the values, so that the band of a
 * value matches the displayed value.
 */
export function bandsOf(
  { quantityKind, unit }: { quantityKind: string; unit: string },
  numbers: readonly number[],
  { round, bound, theme = 'light' }: BoundFormat,
): Band[] {
  const known = KNOWN[`${quantityKind} ${unit}`]
  if (known) return bandsBetween(known[0], known[1][theme], bound)
  const ramp = rampOf(numbers)
  const inner = ramp.slice(1).map(({ min }) => round(min ?? 0))
  const bands = bandsBetween(inner, colorsOf(ramp, theme), bound)
  // Bounds that are close together may be equal after rounding.
  return bands.filter(({ from, below }) => from < below)
}

/**
 * Five bands with about the same number of values in each. Where a few values are far above the others, as with the
 * consumption of rooms, bands of equal width would give all the others the same colour.
 */
export function quantileBands(numbers: readonly number[], { round, bound, theme = 'light' }: BoundFormat): Band[] {
  const sorted = numbers.toSorted((a, b) => a - b)
  const colors = colorsOf(rampOf([0, 1]), theme)
  if (sorted.length === 0) return []
  const bounds = colors.slice(1).map((_, i) => round(sorted[Math.floor(((i + 1) / colors.length) * sorted.length)]!))
  return bandsBetween(bounds, colors, bound).filter(({ from, below }) => from < below)
}

const colorsOf = (ramp: readonly LegendEntry[], theme: Theme): string[] =>
  ramp.map(({ color }, i) => (theme === 'dark' ? LOW_TO_HIGH.dark[i] : undefined) ?? color)

function bandsBetween(bounds: readonly number[], colors: readonly string[], format: (value: number) => string): Band[] {
  return colors.map((color, i) => {
    const from = bounds[i - 1] ?? -Infinity
    const below = bounds[i] ?? Infinity
    return { key: String(i), color, from, below, label: labelOf(from, below, format) }
  })
}

function labelOf(from: number, below: number, format: (value: number) => string): string {
  if (from === -Infinity && below === Infinity) return '…'
  if (from === -Infinity) return `< ${format(below)}`
  if (below === Infinity) return `≥ ${format(from)}`
  return `${format(from)} – ${format(below)}`
}

export const bandFor = (bands: readonly Band[], value: number): Band | undefined =>
  bands.find(({ from, below }) => from <= value && value < below)
