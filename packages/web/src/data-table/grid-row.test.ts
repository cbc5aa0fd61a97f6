import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { DataColumn } from './column.ts'
import { Cell } from './grid-row.tsx'

interface Row {
  value: string | null
  text: string
}
const column: DataColumn<Row> = {
  key: 'value',
  title: 'Value',
  value: ({ value }) => value,
  cell: ({ text }) => text,
}
const cardOf = (row: Row, isLive: boolean) =>
  renderToStaticMarkup(
    createElement(Cell<Row>, {
      row,
      column: { ...column, isLive },
      booleanLabels: { yes: 'Yes', no: 'No' },
      isCard: true,
    }),
  )

describe('a cell of a card', () => {
  it('is left out if it has no value', () => {
    expect(cardOf({ value: null, text: '–' }, false)).toBe('')
    expect(cardOf({ value: '21', text: '21 °C' }, false)).toContain('21 °C')
  })

  it('is shown if its column is live and `cell` returns content, even if `value` returns null', () => {
    expect(cardOf({ value: null, text: '–' }, true)).toContain('Value')
    expect(cardOf({ value: null, text: '' }, true)).toBe('')
  })
})
