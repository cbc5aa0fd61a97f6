import type { TextRow } from './parse-table.ts'

/** A table whose first row may be a header. */
export interface Columns {
  /** The texts of the header; empty texts if there is none. */
  names: readonly string[]
  /** Without the header. */
  rows: readonly TextRow[]
}

export function columnsOf(rows: readonly TextRow[], hasHeader: boolean): Columns {
  const count = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const header = hasHeader ? rows[0] : undefined
  return {
    names: Array.from({ length: count }, (_, i) => header?.cells[i] ?? ''),
    rows: hasHeader ? rows.slice(1) : rows,
  }
}

/** Lower-case letters and digits only, so that “Room No.” is the same name as “room_no”. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The index of the column with the first wanted name that occurs in `names`; undefined if none occurs. */
export function columnNamed(names: readonly string[], wanted: readonly string[]): number | undefined {
  const plain = names.map(plainName)
  for (const name of wanted) {
    const found = plain.indexOf(plainName(name))
    if (found >= 0) return found
  }
  return undefined
}
