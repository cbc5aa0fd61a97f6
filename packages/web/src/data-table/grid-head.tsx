import { type ReactNode, useMemo } from 'react'
import { useTexts } from '../i18n/texts.ts'
import { Icon } from '../ui/icon.tsx'
import { nextSort } from './address.ts'
import type { Sort } from './arrange.ts'
import type { DataColumn } from './column.ts'
import { ROLES } from './roles.ts'
import { type Selection, shareOf, withRows } from './selection.ts'
import { dataTableTexts } from './texts.ts'

interface GridHeadProps {
  columns: readonly DataColumn<never>[]
  keys: readonly string[]
  /** Fixed widths for the columns of a long table, so that the widths do not change while the table scrolls. */
  widths: readonly number[] | undefined
  sort: Sort | undefined
  /** Undefined: the headers do not sort. */
  onSort: ((sort: Sort | undefined) => void) | undefined
  selection: Selection | undefined
}

/** The header row. If the table can be sorted, each visible title is a button that sorts by its column. */
export function GridHead({ columns, keys, widths, sort, onSort, selection }: GridHeadProps): ReactNode {
  const first = selection ? 1 : 0
  return (
    <thead {...ROLES.rowGroup}>
      <tr {...ROLES.row} aria-rowindex={1}>
        {selection ? <SelectAll keys={keys} selection={selection} width={widths?.[0]} /> : null}
        {columns.map((column, n) => (
          <th
            key={column.key}
            {...ROLES.columnHeader}
            scope="col"
            className={column.isNumeric ? 'st-number' : undefined}
            aria-sort={onSort ? ariaSort(column, sort) : undefined}
            style={widths ? { width: widths[n + first] } : undefined}
          >
            {column.hideTitle ? (
              <span className="st-visually-hidden">{column.title}</span>
            ) : onSort === undefined ? (
              column.title
            ) : (
              <button type="button" className="st-sort" onClick={() => onSort(nextSort(sort, column.key))}>
                <span>{column.title}</span>
                {sort?.key === column.key ? (
                  <Icon name={sort.isDescending ? 'arrowDown' : 'arrowUp'} size={12} />
                ) : null}
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function ariaSort(column: DataColumn<never>, sort: Sort | undefined): 'ascending' | 'descending' | 'none' | undefined {
  if (column.hideTitle) return undefined
  if (sort?.key !== column.key) return 'none'
  return sort.isDescending ? 'descending' : 'ascending'
}

interface SelectAllProps {
  keys: readonly string[]
  selection: Selection
  width: number | undefined
}

function SelectAll({ keys, selection, width }: SelectAllProps): ReactNode {
  const t = useTexts(dataTableTexts)
  const share = useMemo(() => shareOf(selection.selected, keys), [selection.selected, keys])
  return (
    <th {...ROLES.columnHeader} scope="col" className="st-select-cell" style={width ? { width } : undefined}>
      <input
        type="checkbox"
        aria-label={t('selectAll')}
        checked={share === 'all'}
        ref={(input) => {
          if (input) input.indeterminate = share === 'some'
        }}
        onChange={() => selection.onChange(withRows(selection.selected, keys, share !== 'all'))}
      />
    </th>
  )
}
