import { describe, expect, it } from 'vitest'
import { delimiterOf, parseTable } from './parse-table.ts'

const cells = (text: string) => parseTable(text).map((row) => row.cells)

describe('parseTable', () => {
  it.each([',', ';', '\t'])('reads cells that are separated by %j', (delimiter) => {
    expect(cells(`Room${delimiter}Value\r\nA-1${delimiter}21.5\r\n`)).toEqual([
      ['Room', 'Value'],
      ['A-1', '21.5'],
    ])
  })

  it('reads quoted cells with delimiters, quotes and line breaks', () => {
    expect(cells('a,"b, ""c""\nd",e')).toEqual([['a', 'b, "c"\nd', 'e']])
  })

  it('keeps a quote in the middle of a cell', () => {
    expect(cells('Duct 4",x\nDuct 6",y')).toEqual([
      ['Duct 4"', 'x'],
      ['Duct 6"', 'y'],
    ])
  })

  it('leaves out empty rows, and numbers the others as a spreadsheet does', () => {
    expect(parseTable('Room,x\n\n , \nA-1').map((row) => row.number)).toEqual([1, 4])
    expect(parseTable('')).toEqual([])
    expect(parseTable('\n\n')).toEqual([])
  })

  it('ignores a byte order mark and spaces around cells', () => {
    expect(cells('\uFEFF a , b ')).toEqual([['a', 'b']])
  })
})

it('delimiterOf finds a semicolon although numbers or quoted cells contain commas', () => {
  expect(delimiterOf('A-1;21,5')).toBe(';')
  expect(delimiterOf('"a,b,c";d')).toBe(';')
})
