import type { ReactNode } from 'react'

export interface Column<Row> {
  key: string
  title: string
  cell(row: Row): ReactNode
  /** Aligns the column to the right. */
  isNumeric?: boolean
  /** Only screen readers get the title, for example of a column of buttons. */
  hideTitle?: boolean
  /** The cell is the row header. */
  isHeader?: boolean
}

interface TableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey(row: Row): string | number
  /** Shown when there are no rows. */
  empty?: ReactNode
  showCaption?: boolean
}

/** A table with few rows. On a phone each row is a card. */
export function Table<Row>({ caption, columns, rows, rowKey, empty, showCaption }: TableProps<Row>): ReactNode {
  if (rows.length === 0 && empty !== undefined) return empty
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a section would add a landmark
    <div className="st-table st-plain-table" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption className={showCaption ? undefined : 'st-visually-hidden'}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, isNumeric, hideTitle }) => (
              <th key={key} scope="col" className={isNumeric ? 'st-number' : undefined}>
                {hideTitle ? <span className="st-visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ key, title, cell, isNumeric, hideTitle, isHeader }) =>
                isHeader ? (
                  <th key={key} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td
                    key={key}
                    className={isNumeric ? 'st-number' : undefined}
                    data-title={hideTitle ? undefined : title}
                  >
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
