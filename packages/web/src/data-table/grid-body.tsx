import { type FocusEvent, Fragment, type ReactNode, type RefObject, useCallback, useRef, useState } from 'react'
import type { BooleanLabels, DataColumn } from './column.ts'
import { Cell, GridRow } from './grid-row.tsx'
import { ROLES } from './roles.ts'
import { rangeBetween, type Selection, withRows } from './selection.ts'
import { longestRows } from './use-column-widths.ts'
import { useScroller } from './use-scroller.ts'
import { useVirtualItems } from './use-virtual-items.ts'

/** The assumed heights of a row of the table and of a card that have not been measured. */
const [ROW_PX, CARD_PX] = [37, 160]

interface GridBodyProps<Row> {
  /** The scrolling box around the table. */
  box: RefObject<HTMLDivElement | null>
  columns: readonly DataColumn<Row>[]
  rows: readonly Row[]
  keys: readonly string[]
  booleanLabels: BooleanLabels
  isCards: boolean
  isVirtual: boolean
  /** The widths of the columns are about to be measured. */
  isMeasuring: boolean
  selection: Selection | undefined
}

/** The rows. Of a long table, only the visible rows and the row with the focus are rendered. */
export function GridBody<Row>(props: GridBodyProps<Row>): ReactNode {
  const { box, columns, rows, keys, booleanLabels, isCards, isVirtual, isMeasuring, selection } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [focused, setFocused] = useState<string>()
  const keyOf = useCallback((index: number) => keys[index] ?? String(index), [keys])
  const { scroller, marginPx } = useScroller(box, body, isCards && isVirtual)
  const { items, totalPx, measure } = useVirtualItems({
    count: isVirtual ? rows.length : 0,
    estimatePx: isCards ? CARD_PX : ROW_PX,
    keyOf,
    scroller: isVirtual ? scroller : noScroller,
    marginPx,
    kept: indexOf(keys, focused),
  })
  const onSelect = useSelect(keys, selection)
  const span = columns.length + (selection ? 1 : 0)
  const rowAt = (index: number) => (
    <GridRow
      key={keys[index]}
      rowKey={keys[index]!}
      row={rows[index]!}
      index={index}
      columns={columns}
      booleanLabels={booleanLabels}
      isCard={isCards}
      isSelected={selection?.selected.has(keys[index]!)}
      onSelect={onSelect}
      measure={isVirtual ? measure : undefined}
    />
  )
  const onFocus = (event: FocusEvent) => setFocused(event.target.closest<HTMLElement>('[data-key]')?.dataset.key)
  let end = marginPx
  return (
    <tbody {...ROLES.rowGroup} ref={body} onFocus={onFocus} onBlur={() => setFocused(undefined)}>
      {isMeasuring ? (
        <tr {...ROLES.hidden} className="st-longest">
          {selection ? <td /> : null}
          {longestRows(columns, rows, booleanLabels).map((row, n) => (
            <Cell key={columns[n]!.key} row={row} column={columns[n]!} booleanLabels={booleanLabels} isCard={false} />
          ))}
        </tr>
      ) : null}
      {isVirtual
        ? items.map((item) => {
            const gap = item.start - end
            end = item.end
            return (
              <Fragment key={item.key}>
                <Gap px={gap} span={span} />
                {rowAt(item.index)}
              </Fragment>
            )
          })
        : rows.map((_, index) => rowAt(index))}
      {isVirtual ? <Gap px={totalPx + marginPx - end} span={span} /> : null}
    </tbody>
  )
}

const noScroller = () => null

/** The space of rows that are not rendered. */
function Gap({ px, span }: { px: number; span: number }): ReactNode {
  if (px <= 0) return null
  return (
    <tr {...ROLES.hidden} className="st-gap" style={{ height: px }}>
      <td colSpan={span} />
    </tr>
  )
}

/**
 * Returns a function that selects or deselects a row, or with Shift all rows from the last clicked row to this row. All
 * renders get the same function, so that rows are not rendered again.
 */
function useSelect(keys: readonly string[], selection: Selection | undefined) {
  const latest = useRef({ keys, selection })
  latest.current = { keys, selection }
  const last = useRef<string>(undefined)
  return useCallback((key: string, isSelected: boolean, isRange: boolean) => {
    const { keys: all, selection: current } = latest.current
    const changed = isRange ? rangeBetween(all, last.current, key) : [key]
    last.current = key
    current?.onChange(withRows(current.selected, changed, isSelected))
  }, [])
}

/** The index of a key; undefined without a key, and for the key of a row that is no longer in the list. */
function indexOf(keys: readonly string[], key: string | undefined): number | undefined {
  const index = key === undefined ? -1 : keys.indexOf(key)
  return index < 0 ? undefined : index
}
