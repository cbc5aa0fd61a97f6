import type { ReactNode } from 'react'

export interface Column<Row> {
  key: string
  title: string
  cell(row: Row): ReactNode
  /** Figures stand below each other. */
  isNumeric?: boolean
  /** Not worth a title, such as buttons: it is said to those who cannot see. */
  hideTitle?: boolean
  /** Names the row. */
  isHeader?: boolean
}

interface TableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey(row: Row): string | number
  /** Shown in place of rows when there are none. */
  empty?: ReactNode
  showCaption?: boolean
}

export function Table<Row>({ caption, columns, rows, rowKey, empty, showCaption }: TableProps<Row>): ReactNode {
  if (rows.length === 0 && empty !== undefined) return empty
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark
    <div className="st-table" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption className={showCaption ? undefined : 'st-unseen'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, isNumeric, hideTitle }) => (
              <th key={key} scope="col" className={isNumeric ? 'st-number' : undefined}>
                {hideTitle ? <span className="st-unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ key, cell, isNumeric, isHeader }) =>
                isHeader ? (
                  <th key={key} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={key} className={isNumeric ? 'st-number' : undefined}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
