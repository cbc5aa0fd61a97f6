import { type BooleanLabels, type CellValue, type DataColumn, textOf } from './column.ts'

/** The rows as CSV (RFC 4180), with the titles in the first line. */
export function csvOf<Row>(
  columns: readonly DataColumn<Row>[],
  rows: readonly Row[],
  booleanLabels: BooleanLabels,
): string {
  const lines = [
    columns.map(({ title }) => field(title)),
    ...rows.map((row) => columns.map((column) => fieldOf(column, column.value(row), booleanLabels))),
  ]
  return lines.map((fields) => `${fields.join(',')}\r\n`).join('')
}

const fieldOf = (column: DataColumn<never>, value: CellValue, booleanLabels: BooleanLabels) =>
  typeof value === 'number' ? String(value) : field(textOf(column, value, booleanLabels))

/**
 * A spreadsheet runs a text that starts with one of these characters as a formula, so an apostrophe precedes the text.
 */
const FORMULA = /^[=+\-@\t\r]/

function field(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Some spreadsheets read a file as UTF-8 only if it begins with this mark. */
const BYTE_ORDER_MARK = '\uFEFF'

/** Makes the browser download a text as a CSV file. */
export function downloadCsv(name: string, csv: string): void {
  const address = URL.createObjectURL(new Blob([BYTE_ORDER_MARK, csv], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}.csv`
  link.click()
  // The browser starts the download after the click, so the address stays valid for a moment.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
