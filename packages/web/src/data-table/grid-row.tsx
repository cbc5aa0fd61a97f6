import { type MouseEvent, memo, type ReactNode } from 'react'
import { useFormat } from '../i18n/format.ts'
import { useTexts } from '../i18n/texts.ts'
import { type BooleanLabels, type CellValue, type DataColumn, textOf } from './column.ts'
import { ROLES } from './roles.ts'
import { dataTableTexts } from './texts.ts'

interface GridRowProps<Row> {
  row: Row
  rowKey: string
  index: number
  columns: readonly DataColumn<Row>[]
  booleanLabels: BooleanLabels
  isCard: boolean
  /** Undefined: the rows cannot be selected. */
  isSelected: boolean | undefined
  onSelect(key: string, isSelected: boolean, isRange: boolean): void
  /** The ref of a row whose height is measured. */
  measure: ((element: HTMLElement | null) => void) | undefined
}

function Row<Row>(props: GridRowProps<Row>): ReactNode {
  const { row, rowKey, index, columns, booleanLabels, isCard, isSelected, onSelect, measure } = props
  const t = useTexts(dataTableTexts)
  const header = columns.find(({ isHeader }) => isHeader) ?? columns[0]
  const name = header ? textOf(header, header.value(row), booleanLabels) : rowKey
  return (
    <tr
      {...ROLES.row}
      ref={measure}
      data-index={index}
      data-key={rowKey}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-selected={isSelected ? '' : undefined}
    >
      {isSelected === undefined ? null : (
        <td {...ROLES.cell} className="st-select-cell">
          <input
            type="checkbox"
            aria-label={t('selectRow', { row: name })}
            checked={isSelected}
            onChange={() => undefined}
            onClick={(event: MouseEvent) => onSelect(rowKey, !isSelected, event.shiftKey)}
          />
        </td>
      )}
      {columns.map((column) => (
        <Cell key={column.key} row={row} column={column} booleanLabels={booleanLabels} isCard={isCard} />
      ))}
    </tr>
  )
}

/** Only rows that change are rendered again, for example when one of many is selected. */
export const GridRow = memo(Row) as typeof Row

interface CellProps<Row> {
  row: Row
  column: DataColumn<Row>
  booleanLabels: BooleanLabels
  isCard: boolean
}

export function Cell<Row>({ row, column, booleanLabels, isCard }: CellProps<Row>): ReactNode {
  const value = column.value(row)
  const content = column.cell ? (
    column.cell(row)
  ) : (
    <ValueText column={column} value={value} booleanLabels={booleanLabels} />
  )
  const known = column.isLive ? content : value
  // A card leaves out columns without a value: its values need not line up with those of other rows.
  if (isCard && !column.hideTitle && (known === null || known === '')) return null
  const className = column.isNumeric && !isCard ? 'st-number' : undefined
  if (column.isHeader) {
    return (
      <th {...ROLES.rowHeader} scope="row" className={className}>
        {content}
      </th>
    )
  }
  return (
    <td {...ROLES.cell} className={className}>
      {isCard && !column.hideTitle ? (
        <span className="st-card-title" aria-hidden="true">
          {column.title}
        </span>
      ) : null}
      {content}
    </td>
  )
}

function ValueText(props: { column: DataColumn<never>; value: CellValue; booleanLabels: BooleanLabels }): ReactNode {
  const format = useFormat()
  const { column, value, booleanLabels } = props
  return typeof value === 'number' ? format.number(value, 2) : textOf(column, value, booleanLabels)
}
