import { expect, it } from 'vitest'
import { parseTable } from './parse-table.ts'
import { csvOf } from './write-csv.ts'

it('writes cells that parseTable reads back unchanged', () => {
  const rows = [
    ['Room', 'Value, new'],
    ['A-1', 'say "hi"\nthere'],
  ]
  expect(parseTable(csvOf(rows)).map(({ cells }) => cells)).toEqual(rows)
})

it('writes no cell that a spreadsheet would run as a formula', () => {
  expect(csvOf([['=SUM(A1)', '-5', '-cmd', '+1']])).toBe(`'=SUM(A1),-5,'-cmd,'+1`)
  expect(csvOf([['-2.5', '-1e-9', '-2+3', '-2+cmd|A0']])).toBe(`-2.5,-1e-9,'-2+3,'-2+cmd|A0`)
})
