import { type RefObject, useLayoutEffect, useState } from 'react'
import { type BooleanLabels, type DataColumn, textOf } from './column.ts'

interface ColumnWidths {
  widths: readonly number[] | undefined
  /** True while the widths are unknown: the next layout determines them. */
  isMeasuring: boolean
}

/**
 * Keeps the widths of the columns while a long table scrolls: otherwise they would change with the rows that are
 * rendered. They are measured again when the columns or the width of the box change.
 */
export function useColumnWidths(
  box: RefObject<HTMLElement | null>,
  columns: readonly DataColumn<never>[],
  isFixed: boolean,
): ColumnWidths {
  const [boxPx, setBoxPx] = useState(0)
  const [measured, setMeasured] = useState<{ of: string; widths: readonly number[] }>()
  const of = `${boxPx} ${columns.map(({ key, title }) => `${key} ${title}`).join('\n')}`
  const widths = isFixed && measured?.of === of ? measured.widths : undefined

  useLayoutEffect(() => {
    const element = box.current
    if (!isFixed || !element) return
    const observer = new ResizeObserver(() => setBoxPx(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, isFixed])
  useLayoutEffect(() => {
    if (!isFixed || widths) return
    const headers = box.current?.querySelectorAll('thead th') ?? []
    setMeasured({ of, widths: Array.from(headers, (header) => header.getBoundingClientRect().width) })
  }, [box, isFixed, of, widths])
  return { widths, isMeasuring: isFixed && widths === undefined }
}

/** For each column, the row with the longest text in that column: its cell needs the most space. */
export function longestRows<Row>(
  columns: readonly DataColumn<Row>[],
  rows: readonly Row[],
  booleanLabels: BooleanLabels,
): Row[] {
  return columns.map((column) => {
    let longest = rows[0] as Row
    let length = -1
    for (const row of rows) {
      const text = textOf(column, column.value(row), booleanLabels)
      if (text.length <= length) continue
      longest = row
      length = text.length
    }
    return longest
  })
}
