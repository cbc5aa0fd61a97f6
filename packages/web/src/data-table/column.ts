import type { ReactNode } from 'react'

export type CellValue = string | number | boolean | null

export interface DataColumn<Row> {
  /** The name of the column in the URL, for its filter and its sort, and in the stored choice of columns. */
  key: string
  title: string
  /** The value by which rows are sorted, filtered and searched, and which is exported. */
  value(row: Row): CellValue
  /** What the cell shows; by default the value. */
  cell?: ((row: Row) => ReactNode) | undefined
  /**
   * The cell shows a value that changes while the rows stay the same. A card leaves the cell out if `cell` returns
   * nothing, even if there is a `value`.
   */
  isLive?: boolean | undefined
  /** Aligns the column to the right. Its text filter also takes a comparison, such as `> 20`. */
  isNumeric?: boolean | undefined
  /** The cell is the row header. It is always shown, and is the title if the row is shown as a card. */
  isHeader?: boolean | undefined
  /** For a column of buttons: only screen readers get the title. The column cannot be sorted, hidden or exported. */
  hideTitle?: boolean | undefined
  filter?: 'text' | 'choice' | undefined
  /**
   * The labels of the values, in the order in which the column sorts. The URL has the values, so that a link works in
   * every language.
   */
  choices?: readonly { value: string; label: string }[] | undefined
  /** Hidden until the user chooses the column. */
  isOptional?: boolean | undefined
}

/** The labels of true and false. */
export interface BooleanLabels {
  yes: string
  no: string
}

export const isData = (column: DataColumn<never>): boolean => column.hideTitle !== true

/** The text of a value, as the filters, the search and the export see it. */
export function textOf(
  column: Pick<DataColumn<never>, 'choices'>,
  value: CellValue,
  booleanLabels: BooleanLabels,
): string {
  if (value === null) return ''
  const label = column.choices?.find((choice) => choice.value === String(value))?.label
  if (label !== undefined) return label
  return typeof value === 'boolean' ? (value ? booleanLabels.yes : booleanLabels.no) : String(value)
}

/** The options of a choice filter: all choices of the column, then the other values that occur, sorted. */
export function choicesOf<Row>(
  column: DataColumn<Row>,
  rows: readonly Row[],
  booleanLabels: BooleanLabels,
): { value: string; label: string }[] {
  const values = new Map<string, CellValue>()
  for (const row of rows) {
    const value = column.value(row)
    if (value !== null && value !== '') values.set(String(value), value)
  }
  const known = new Set(column.choices?.map(({ value }) => value))
  const others = [...values]
    .filter(([value]) => !known.has(value))
    .map(([value, raw]) => ({ value, label: textOf(column, raw, booleanLabels) }))
    .sort((a, b) => a.label.localeCompare(b.label, undefined, { numeric: true }))
  return [...(column.choices ?? []), ...others]
}
