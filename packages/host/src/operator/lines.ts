/** Rows of cells, with a dash where there is none. */
export const lines = <T>(rows: readonly T[], cells: (row: T) => readonly unknown[]): string =>
  rows
    .map((row) =>
      cells(row)
        .map((cell) => cell ?? '-')
        .join('\t'),
    )
    .join('\n')
