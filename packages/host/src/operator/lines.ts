import { printableLine } from '@storey/contract/printable'

/** Formats rows as tab-separated lines, with a dash for missing values. */
export const lines = <T>(rows: readonly T[], cells: (row: T) => readonly unknown[]): string =>
  rows
    .map((row) =>
      cells(row)
        .map((cell) => printableLine(String(cell ?? '-')))
        .join('\t'),
    )
    .join('\n')
