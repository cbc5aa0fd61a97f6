import type { Locale } from '../i18n/locale.ts'
import { type BooleanLabels, type CellValue, type DataColumn, isData, textOf } from './column.ts'

export interface Sort {
  key: string
  isDescending: boolean
}

/** What the user has chosen to see. */
export interface Arrangement {
  search: string
  /** By the key of the column. */
  filters: Readonly<Record<string, string>>
  sort: Sort | undefined
}

interface ArrangeOptions {
  locale: Locale
  booleanLabels: BooleanLabels
}

/** The rows that match the search and the filters, sorted. Without a sort they keep their order. */
export function arrange<Row>(
  rows: readonly Row[],
  columns: readonly DataColumn<Row>[],
  { search, filters, sort }: Arrangement,
  { locale, booleanLabels }: ArrangeOptions,
): readonly Row[] {
  const tests = [
    ...columns.filter(({ key }) => filters[key]).map((column) => filterOf(column, filters[column.key]!, booleanLabels)),
    ...(search.trim() === '' ? [] : [searchOf(columns.filter(isData), search, booleanLabels)]),
  ]
  const found = tests.length === 0 ? rows : rows.filter((row) => tests.every((test) => test(row)))
  const column = columns.find(({ key }) => key === sort?.key)
  return column && sort ? sorted(found, column, sort.isDescending, locale) : found
}

function filterOf<Row>(column: DataColumn<Row>, text: string, booleanLabels: BooleanLabels): (row: Row) => boolean {
  if (column.filter === 'choice') return (row) => String(column.value(row)) === text
  const inRange = column.isNumeric ? rangeOf(text) : undefined
  if (inRange) {
    return (row) => {
      const value = column.value(row)
      return typeof value === 'number' && inRange(value)
    }
  }
  const wanted = wordsOf(text)
  return (row) => {
    const found = textOf(column, column.value(row), booleanLabels).toLowerCase()
    return wanted.every((word) => found.includes(word))
  }
}

const RANGE = /^\s*(<=|>=|<|>|≤|≥)\s*(-?\d+(?:[.,]\d+)?)\s*$/

/** A comparison such as `> 20`; undefined for any other text. */
function rangeOf(text: string): ((value: number) => boolean) | undefined {
  const [, sign, digits] = RANGE.exec(text) ?? []
  if (sign === undefined || digits === undefined) return undefined
  const bound = Number(digits.replace(',', '.'))
  switch (sign) {
    case '<':
      return (value) => value < bound
    case '>':
      return (value) => value > bound
    case '<=':
    case '≤':
      return (value) => value <= bound
    default:
      return (value) => value >= bound
  }
}

/** Whether a row contains every word of the text, each in any of its columns. */
function searchOf<Row>(
  columns: readonly DataColumn<Row>[],
  text: string,
  booleanLabels: BooleanLabels,
): (row: Row) => boolean {
  const wanted = wordsOf(text)
  return (row) => {
    const found = columns.map((column) => textOf(column, column.value(row), booleanLabels).toLowerCase()).join('\n')
    return wanted.every((word) => found.includes(word))
  }
}

const wordsOf = (text: string) => text.trim().toLowerCase().split(/\s+/)

/** Rows without a value come last in both directions. Equal rows keep their order. */
function sorted<Row>(rows: readonly Row[], column: DataColumn<Row>, isDescending: boolean, locale: Locale): Row[] {
  const compare = comparisonOf(column, locale)
  const side = isDescending ? -1 : 1
  return rows
    .map((row) => ({ row, value: column.value(row) }))
    .sort((a, b) => {
      const isLast = Number(isMissing(a.value)) - Number(isMissing(b.value))
      return isLast || (isMissing(a.value) ? 0 : side * compare(a.value, b.value))
    })
    .map(({ row }) => row)
}

const isMissing = (value: CellValue) => value === null || value === ''

function comparisonOf(column: DataColumn<never>, locale: Locale): (a: CellValue, b: CellValue) => number {
  const collator = new Intl.Collator(locale, { numeric: true })
  const order = new Map(column.choices?.map(({ value }, n) => [value, n]))
  return (a, b) => {
    const [inA, inB] = [order.get(String(a)), order.get(String(b))]
    if (inA !== undefined && inB !== undefined) return inA - inB
    return typeof a === 'string' || typeof b === 'string'
      ? collator.compare(String(a), String(b))
      : Number(a) - Number(b)
  }
}
