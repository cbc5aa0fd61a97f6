import type { LayerValue, LayerValueType, LegendEntry, LegendEntryInForce, LegendInForce } from './layers.ts'

// This file determines which legend applies to the values of a layer. The fields of a legend entry are in `layers.ts`.
// `platform/src/features/layers/check-layer.ts` checks that an entry fits its layer: min and max, for example, are for
// NUMBER layers only.

/** Ten colours that colour-blind people can distinguish (Paul Tol, qualitative). */
export const CATEGORY_COLORS = [
  '#332288',
  '#88ccee',
  '#44aa99',
  '#117733',
  '#999933',
  '#ddcc77',
  '#661100',
  '#cc6677',
  '#882255',
  '#aa4499',
] as const
/** A derived legend has at most this many categories, one for each colour, and an entry for the rest. */
export const LEGEND_CATEGORIES = CATEGORY_COLORS.length
/** Grey, for the entry of all further categories. */
export const OTHERS_COLOR = '#bbbbbb'
/** The labels of booleans. They are the same in every language of the console. */
export const BOOLEAN_LABELS = { true: 'да', false: 'нет' } as const
const YES_COLOR = '#44aa99'
const NO_COLOR = '#cc6677'
/** Dark to light, readable with colour blindness and in greyscale (viridis). */
const RAMP_COLORS = ['#440154', '#3b528b', '#21918c', '#5ec962', '#fde725'] as const

export interface ValueCount<V extends LayerValue = LayerValue> {
  value: V
  count: number
}

/** True if the entry has exactly this value, or its range includes it. */
export function holdsValue(entry: LegendEntry, value: LayerValue): boolean {
  if (entry.value !== undefined) return entry.value === value
  return typeof value === 'number' && entry.min! <= value && value <= entry.max!
}

/** The legend that applies to the values of a layer. */
export function legendOf(
  layer: { valueType: LayerValueType; legend: readonly LegendEntry[] | null },
  values: Iterable<LayerValue>,
): LegendInForce {
  const tally = new Map<LayerValue, number>()
  for (const value of values) tally.set(value, (tally.get(value) ?? 0) + 1)
  const counts = Array.from(tally, ([value, count]) => ({ value, count }))
  return explicitLegend(countEntries(layer.legend ?? [], counts)) ?? derivedLegend(derive(layer.valueType, counts))
}

/** The configured legend applies if its entries contain at least one value of the layer. */
export function explicitLegend(entries: LegendEntryInForce[]): LegendInForce | undefined {
  return entries.some(({ count }) => count > 0) ? { source: 'explicit', entries } : undefined
}

export const derivedLegend = (entries: LegendEntryInForce[]): LegendInForce => ({ source: 'derived', entries })

/** A value counts for the first entry that contains it. */
export function countEntries(entries: readonly LegendEntry[], counts: readonly ValueCount[]): LegendEntryInForce[] {
  const counted = entries.map((entry) => ({ ...entry, count: 0 }))
  for (const { value, count } of counts) {
    const entry = counted.find((e) => holdsValue(e, value))
    if (entry) entry.count += count
  }
  return counted
}

function derive(valueType: LayerValueType, counts: readonly ValueCount[]): LegendEntryInForce[] {
  if (valueType === 'BOOLEAN') return booleanLegend(counts)
  if (valueType === 'NUMBER') return countEntries(rampOf(counts.map(({ value }) => value as number)), counts)
  const categories = (counts as ValueCount<string>[]).toSorted((a, b) => compareCodePoints(a.value, b.value))
  const rest = categories.slice(LEGEND_CATEGORIES)
  const count = rest.reduce((sum, category) => sum + category.count, 0)
  return categoryLegend(categories.slice(0, LEGEND_CATEGORIES), { categories: rest.length, count })
}

/**
 * An entry for each of the first categories, which the caller has sorted in code point order, and one entry for the
 * rest. In the API the database sorts them.
 */
export function categoryLegend(
  first: readonly ValueCount[],
  rest: { categories: number; count: number },
): LegendEntryInForce[] {
  const entries: LegendEntryInForce[] = first.map(({ value, count }, i) => ({
    value,
    label: String(value),
    color: CATEGORY_COLORS[i]!,
    count,
  }))
  if (rest.categories === 0) return entries
  return [...entries, { label: `прочее (${rest.categories})`, color: OTHERS_COLOR, count: rest.count }]
}

export function booleanLegend(counts: readonly ValueCount[]): LegendEntryInForce[] {
  if (counts.length === 0) return []
  const of = (wanted: boolean) => counts.find(({ value }) => value === wanted)?.count ?? 0
  return [
    { value: true, label: BOOLEAN_LABELS.true, color: YES_COLOR, count: of(true) },
    { value: false, label: BOOLEAN_LABELS.false, color: NO_COLOR, count: of(false) },
  ]
}

/** Five ranges of equal width from the minimum to the maximum. If all numbers are equal, there is only one entry. */
export function rampOf(numbers: readonly number[]): LegendEntry[] {
  if (numbers.length === 0) return []
  const min = numbers.reduce((a, b) => Math.min(a, b))
  const max = numbers.reduce((a, b) => Math.max(a, b))
  if (min === max) return [{ value: min, label: String(min), color: RAMP_COLORS[0] }]
  const bounds = boundsOf(min, max, RAMP_COLORS.length)
  const shown = labelsFor(bounds)
  return RAMP_COLORS.map((color, i) => {
    const [from, to] = [bounds[i]!, bounds[i + 1]!]
    return { min: from, max: to, label: `${shown(from)} – ${shown(to)}`, color }
  })
}

function boundsOf(min: number, max: number, parts: number): number[] {
  const bounds = [min]
  for (let i = 1; i < parts; i++) {
    // The formula min + (max - min) * i / parts is not used, because the difference of two large numbers may overflow.
    const bound = Number((min * ((parts - i) / parts) + max * (i / parts)).toPrecision(12))
    bounds.push(Math.min(Math.max(bound, bounds[i - 1]!), max))
  }
  return [...bounds, max]
}

/** Writes numbers with six significant digits, or with more if different bounds would otherwise look the same. */
function labelsFor(bounds: readonly number[]): (value: number) => string {
  const count = new Set(bounds).size
  for (let digits = 6; digits < 17; digits++) {
    const label = (value: number) => String(Number(value.toPrecision(digits)))
    if (new Set(bounds.map(label)).size === count) return label
  }
  return String
}

/**
 * Code point order, the same on every machine. Comparing strings would order by UTF-16 units, with U+FFFD after
 * U+1F600.
 */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  let i = 0
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++
  if (i === length) return a.length - b.length
  return rank(a.charCodeAt(i)) - rank(b.charCodeAt(i))
}

/** The rank of a UTF-16 unit. Surrogates rank last, because they encode the highest code points. */
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
