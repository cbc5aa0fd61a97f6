import { type ReactNode, useMemo, useRef } from 'react'
import type { Sort } from './arrange.ts'
import type { BooleanLabels, DataColumn } from './column.ts'
import { GridBody } from './grid-body.tsx'
import { GridHead } from './grid-head.tsx'
import { ROLES } from './roles.ts'
import type { Selection } from './selection.ts'
import { useBoxHeight } from './use-box-height.ts'
import { useCards } from './use-cards.ts'
import { useColumnWidths } from './use-column-widths.ts'

/** A table with at most this many rows renders all of them, so that the browser's own search finds them. */
const MAX_PLAIN_ROWS = 100

interface GridProps<Row> {
  caption: string
  columns: readonly DataColumn<Row>[]
  rows: readonly Row[]
  rowKey(row: Row): string
  booleanLabels: BooleanLabels
  sort: Sort | undefined
  /** Undefined: the headers do not sort. */
  onSort: ((sort: Sort | undefined) => void) | undefined
  selection: Selection | undefined
  fills: boolean
}

/** The table element. Its roles are explicit, because browsers drop implicit roles if CSS shows the table as cards. */
export function Grid<Row>(props: GridProps<Row>): ReactNode {
  const { caption, columns, rows, rowKey, booleanLabels, sort, onSort, selection, fills } = props
  const box = useRef<HTMLDivElement>(null)
  const isCards = useCards()
  const isVirtual = rows.length > MAX_PLAIN_ROWS
  const latestKey = useRef(rowKey)
  latestKey.current = rowKey
  const keys = useMemo(() => rows.map((row) => latestKey.current(row)), [rows])
  useBoxHeight(box, !isCards && !fills)
  const { widths, isMeasuring } = useColumnWidths(box, columns, isVirtual && !isCards)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a section would add a landmark
    <div className="st-table st-grid" ref={box} role="group" aria-label={caption} tabIndex={0}>
      <table
        {...ROLES.table}
        aria-rowcount={isVirtual ? rows.length + 1 : undefined}
        data-cards={isCards ? '' : undefined}
        style={widths ? { tableLayout: 'fixed', width: widths.reduce((sum, px) => sum + px, 0) } : undefined}
      >
        <caption className="st-visually-hidden">{caption}</caption>
        <GridHead columns={columns} keys={keys} widths={widths} sort={sort} onSort={onSort} selection={selection} />
        <GridBody
          box={box}
          columns={columns}
          rows={rows}
          keys={keys}
          booleanLabels={booleanLabels}
          isCards={isCards}
          isVirtual={isVirtual}
          isMeasuring={isMeasuring}
          selection={selection}
        />
      </table>
    </div>
  )
}
