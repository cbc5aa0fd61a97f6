import { BOOLEAN_LABELS, CATEGORY_COLORS, isCssColor, LIMITS } from '@storey/contract'
import type { DataLayer, LegendEntry } from '@storey/sdk'
import type { Value } from './read-value.ts'
import { readTyped } from './typed-number.ts'

type ValueType = DataLayer['valueType']

/** An entry of a legend that is being edited. Numbers are stored as the texts that were typed. */
export interface DraftEntry {
  /** Identifies the entry while the list changes. */
  id: string
  /** The value; used if `isRange` is false. */
  value: string
  min: string
  max: string
  isRange: boolean
  label: string
  color: string
}

export type DraftProblem = 'required' | 'notNumber' | 'minAboveMax' | 'repeated' | 'badColour'
export type EntryProblems = Partial<Record<'value' | 'min' | 'max' | 'label' | 'color', DraftProblem>>

let entries = 0
const newId = () => String(++entries)

export const emptyEntry = (valueType: ValueType, color: string): DraftEntry => ({
  ...{ id: newId(), value: valueType === 'BOOLEAN' ? 'true' : '', min: '', max: '', label: '', color },
  isRange: valueType === 'NUMBER',
})

export const draftOf = (legend: readonly LegendEntry[], number: (value: number) => string): DraftEntry[] =>
  legend.map(({ value, min, max, label, color }) => ({
    id: newId(),
    value: typeof value === 'number' ? number(value) : String(value ?? ''),
    min: min === undefined ? '' : number(min),
    max: max === undefined ? '' : number(max),
    isRange: value === undefined,
    label,
    color,
  }))

/** The legend of a draft, and what is wrong with its entries. Entries with a problem are not in the legend. */
export function readDraft(
  valueType: ValueType,
  draft: readonly DraftEntry[],
): { legend: LegendEntry[]; problems: Map<string, EntryProblems> } {
  const problems = new Map<string, EntryProblems>()
  const seen = new Set<Value>()
  const legend = draft.flatMap((entry) => {
    const found: EntryProblems = {}
    const label = entry.label.trim() || labelFor(valueType, entry)
    if (label === '') found.label = 'required'
    if (!isCssColor(entry.color)) found.color = 'badColour'
    const about = entry.isRange ? readRange(entry, found) : readOne(valueType, entry, found)
    if (about.value !== undefined) {
      if (seen.has(about.value)) found.value ??= 'repeated'
      seen.add(about.value)
    }
    if (Object.keys(found).length === 0) return [{ ...about, label, color: entry.color }]
    problems.set(entry.id, found)
    return []
  })
  return { legend, problems }
}

/** The label of an entry for which the user has typed no label. */
export function labelFor(valueType: ValueType, { isRange, value, min, max }: DraftEntry): string {
  if (isRange) return `${min.trim()} – ${max.trim()}`
  return valueType === 'BOOLEAN' ? BOOLEAN_LABELS[value === 'true' ? 'true' : 'false'] : value.trim()
}

function readRange(entry: DraftEntry, problems: EntryProblems): Pick<LegendEntry, 'value' | 'min' | 'max'> {
  const [min, max] = [readTyped(entry.min), readTyped(entry.max)]
  if (!Number.isFinite(min)) problems.min = entry.min.trim() === '' ? 'required' : 'notNumber'
  if (!Number.isFinite(max)) problems.max = entry.max.trim() === '' ? 'required' : 'notNumber'
  if (min > max) problems.max = 'minAboveMax'
  return { min, max }
}

function readOne(
  valueType: ValueType,
  { value }: DraftEntry,
  problems: EntryProblems,
): Pick<LegendEntry, 'value' | 'min' | 'max'> {
  if (valueType === 'BOOLEAN') return { value: value === 'true' }
  if (valueType !== 'NUMBER') return { value }
  const number = readTyped(value)
  if (!Number.isFinite(number)) problems.value = value.trim() === '' ? 'required' : 'notNumber'
  return { value: number }
}

/** Colour scales, from low to high. */
export const PALETTES = {
  lowToHigh: ['#e3f0ef', '#b0d8d4', '#73b6b0', '#3c8f89', '#155e5a'],
  coldToHot: ['#4575b4', '#91bfdb', '#d9eef3', '#fee090', '#fc8d59', '#d73027'],
  goodToBad: ['#d5ece8', '#8fcabf', '#e9c46a', '#d9853b', '#a63d2f'],
  badToGood: ['#a63d2f', '#d9853b', '#e9c46a', '#8fcabf', '#d5ece8'],
} as const
export type PaletteName = keyof typeof PALETTES

/** `count` colours of a palette, evenly distributed. */
export function colorsOf(palette: PaletteName, count: number): string[] {
  const colors = PALETTES[palette]
  if (count === 1) return [colors[colors.length - 1]!]
  return Array.from({ length: count }, (_, i) => {
    const at = (i * (colors.length - 1)) / (count - 1)
    const from = Math.min(Math.floor(at), colors.length - 2)
    return mixed(colors[from]!, colors[from + 1]!, at - from)
  })
}

function mixed(a: string, b: string, share: number): string {
  const channel = (color: string, i: number) => Number.parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16)
  const mix = (i: number) => Math.round(channel(a, i) * (1 - share) + channel(b, i) * share)
  return `#${[0, 1, 2].map((i) => mix(i).toString(16).padStart(2, '0')).join('')}`
}

/** Bands of equal width that cover the numbers, with round bounds; no bands if there are no numbers. */
export function suggestBands(numbers: readonly number[], count: number, palette: PaletteName): LegendEntry[] {
  if (numbers.length === 0) return []
  const low = numbers.reduce((a, b) => Math.min(a, b))
  const high = numbers.reduce((a, b) => Math.max(a, b))
  const step = roundStep((high - low) / count || Math.abs(high) / count || 1)
  const start = Math.floor(low / step) * step
  const bands = Math.max(1, Math.ceil((high - start) / step))
  const bound = (i: number) => Number((start + i * step).toPrecision(12))
  return colorsOf(palette, bands).map((color, i) => ({
    min: bound(i),
    max: bound(i + 1),
    label: `${bound(i)} – ${bound(i + 1)}`,
    color,
  }))
}

/** The smallest number that is not below `width`, and is 1, 2, 2.5 or 5 times a power of ten. */
function roundStep(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width))
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= width * (1 - 1e-9)) ?? 10
  return Number((factor * power).toPrecision(12))
}

/** An entry for each value, in the colours of a legend that is derived from the values (`legendOf`). */
export function suggestCategories(values: Iterable<Value>): LegendEntry[] {
  return [...new Set(values)].slice(0, LIMITS.layer.legendEntries).map((value, i) => ({
    value,
    label: String(value) || '—',
    color: CATEGORY_COLORS[i % CATEGORY_COLORS.length]!,
  }))
}

/** Entries for yes and no, in the colours of a legend that is derived from the values (`legendOf`). */
export const suggestYesAndNo = (labels: { yes: string; no: string }): LegendEntry[] => [
  { value: true, label: labels.yes, color: CATEGORY_COLORS[2] },
  { value: false, label: labels.no, color: CATEGORY_COLORS[7] },
]
