import { safeText } from './safe-text.ts'
import { width } from './width.ts'

/** Columns as wide as their widest cell, two blanks apart. The last column is not padded. */
export function alignedTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows].map((row) => row.map(safeText))
  const widths = head.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ''))))
  return all.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell + ' '.repeat(widths[column]! - width(cell))))
      .join('  ')
      .trimEnd(),
  )
}

/** For a pipe: tab-separated lines without a header, for cut and awk. */
export function plainTable(rows: readonly (readonly string[])[]): string[] {
  return rows.map((row) => row.map((cell) => safeText(cell).replaceAll('\t', ' ').replaceAll('\n', ' ')).join('\t'))
}

/** One line for each name and value. */
export function nameValueLines(facts: readonly (readonly [string, string])[], name = (text: string) => text): string[] {
  const widest = Math.max(...facts.map(([label]) => label.length))
  return facts.map(([label, value]) => `  ${name(label.padEnd(widest))}  ${safeText(value)}`)
}
