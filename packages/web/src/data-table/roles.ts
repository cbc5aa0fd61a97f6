/** The roles of a table's elements, given explicitly because browsers drop them when CSS lays the table out as cards. */
export const ROLES = {
  table: { role: 'table' },
  rowGroup: { role: 'rowgroup' },
  row: { role: 'row' },
  columnHeader: { role: 'columnheader' },
  rowHeader: { role: 'rowheader' },
  cell: { role: 'cell' },
  /** For rows that only take up space. */
  hidden: { 'aria-hidden': true },
} as const
