import { describe, expect, it } from 'vitest'
import type { DataColumn } from './column.ts'
import { csvOf } from './csv.ts'

const booleanLabels = { yes: 'Yes', no: 'No' }
const column = (key: string, value: DataColumn<number>['value']): DataColumn<number> => ({ key, title: key, value })

describe('csvOf', () => {
  it('writes titles, numbers, labels and empty fields', () => {
    const columns: DataColumn<number>[] = [
      column('a', (n) => n * -1.5),
      column('b', (n) => n > 1),
      { ...column('c', () => 'x'), choices: [{ value: 'x', label: 'Label' }] },
      column('d', () => null),
    ]
    expect(csvOf(columns, [1, 2], booleanLabels)).toBe('a,b,c,d\r\n-1.5,No,Label,\r\n-3,Yes,Label,\r\n')
  })

  it('quotes commas, quotes and line breaks', () => {
    expect(csvOf([column('a,b', () => 'say "hi"\nthen go')], [1], booleanLabels)).toBe(
      '"a,b"\r\n"say ""hi""\nthen go"\r\n',
    )
  })

  it('escapes formulas', () => {
    expect(csvOf([column('a', () => '=1+1')], [1], booleanLabels)).toBe("a\r\n'=1+1\r\n")
  })
})
