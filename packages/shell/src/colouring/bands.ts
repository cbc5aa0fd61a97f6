import { rampOf } from '@storey/contract'

/** A shade that holds the numbers from `from` up to, and without, `below`. */
export interface Band {
  key: string
  label: string
  color: string
  from: number
  below: number
}

/** Cold to hot, told apart by eyes of any kind. */
const COLD_TO_HOT = ['#4575b4', '#91bfdb', '#d9eef3', '#fee090', '#fc8d59', '#d73027']
/** Good to bad; darker is worse. */
const GOOD_TO_BAD = ['#d5ece8', '#8fcabf', '#e9c46a', '#d9853b', '#a63d2f']
const LITTLE_TO_MUCH = ['#e3f0ef', '#b0d8d4', '#73b6b0', '#3c8f89', '#155e5a']

/** Bounds that people of a building know, by quantity kind and unit. */
const KNOWN: Record<string, readonly [bounds: readonly number[], colors: readonly string[]]> = {
  'Temperature DEG_C': [[18, 20, 22, 24, 26], COLD_TO_HOT],
  'Temperature DEG_F': [[64, 68, 72, 75, 79], COLD_TO_HOT],
  'MoleFraction PPM': [[600, 800, 1000, 1400], GOOD_TO_BAD],
  'RelativeHumidity PERCENT_RH': [[30, 40, 60, 70], LITTLE_TO_MUCH],
  'RelativeHumidity PERCENT': [[30, 40, 60, 70], LITTLE_TO_MUCH],
  'DimensionlessRatio PERCENT': [[20, 40, 60, 80], LITTLE_TO_MUCH],
  'Illuminance LUX': [[50, 200, 500, 1000], LITTLE_TO_MUCH],
}

/** The bands of a quantity: known bounds, or five even ones over the numbers that there are. */
export function bandsOf(
  { quantityKind, unit }: { quantityKind: string; unit: string },
  numbers: readonly number[],
  format: (value: number) => string,
): Band[] {
  const known = KNOWN[`${quantityKind} ${unit}`]
  if (known) return between(known[0], known[1], format)
  const ramp = rampOf(numbers)
  const inner = ramp.slice(1).map(({ min }) => min ?? 0)
  return between(
    inner,
    ramp.map(({ color }) => color),
    format,
  )
}

function between(bounds: readonly number[], colors: readonly string[], format: (value: number) => string): Band[] {
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
