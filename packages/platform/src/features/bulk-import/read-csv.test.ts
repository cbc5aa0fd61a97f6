import { Problem } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { readCsv } from './read-csv.ts'
import { elementSheet } from './sheets.ts'

const read = (text: string) => readCsv(text, elementSheet)
const row = { externalId: 'A', spaceId: 'S', elementType: 'pump', name: 'Pump' }
const header = 'externalId,spaceId,elementType,name'
const longRow = 'the row that begins in line 2 has more than 262,144 characters'
const unclosed = `${longRow}: perhaps a quote in it is not closed`

function detailsOf(text: string): string[] {
  try {
    read(text)
  } catch (err) {
    expect(err).toBeInstanceOf(Problem)
    return ((err as Problem).members.errors as { detail: string }[]).map(({ detail }) => detail)
  }
  return []
}

describe('readCsv', () => {
  it.each([
    ['commas', ',', '\n'],
    ['semicolons', ';', '\n'],
    ['tabs', '\t', '\r\n'],
  ])('reads cells that are separated by %s', (_, delimiter, end) => {
    const lines = [header.replaceAll(',', delimiter), ['A', 'S', 'pump', 'Pump'].join(delimiter)]
    expect(read(lines.join(end)).rows).toEqual([row])
    expect(read(lines.join(end) + end).rows).toEqual([row])
  })

  it('reads quoted cells and quoted column names', () => {
    const text = `"externalId";"spaceId";"elementType";"name"\nA;S;pump;"a ""b"";\r\nc"\n`
    expect(read(text).rows).toEqual([{ ...row, name: 'a "b";\r\nc' }])
  })

  it('treats the delimiters that the header does not use as part of a cell', () => {
    expect(read(`${header.replaceAll(',', ';')}\nA;S;pump;a,b,c,d,e\tf`).rows).toEqual([
      { ...row, name: 'a,b,c,d,e\tf' },
    ])
  })

  it('omits the field of an empty cell, quoted or not, and keeps the spaces in a cell', () => {
    expect(read(`${header},code\nA,S,pump,Pump,\nA,S,pump,"",""\nA,S,pump, Pump ,x`).rows).toEqual([
      row,
      { externalId: 'A', spaceId: 'S', elementType: 'pump' },
      { ...row, name: ' Pump ', code: 'x' },
    ])
  })

  it('skips empty lines', () => {
    expect(read(`\r\n\n${header.replaceAll(',', ';')}\nA;S;pump;Pump`).rows).toEqual([row])
    expect(read(`${header}\n\nA,S,pump,Pump\r\n\r\n`).rows).toEqual([row])
  })

  it('refuses a column __proto__ like any unknown column', () => {
    expect(detailsOf(`${header},__proto__\nA,S,pump,Pump,x`)).toEqual(['the column __proto__ is not known'])
  })

  it.each([
    [`${header},colour`, ['the column colour is not known']],
    [`${header}, code`, ['the column " code" is not known']],
    [`${header},`, ['the column "" is not known']],
    [`${header},name`, ['the column name occurs twice']],
    ['externalId,spaceId', ['the column elementType is missing', 'the column name is missing']],
    ['externalId,elementType,name', ['a column spaceId or spaceExternalId is missing']],
    ['', ['the body has no header line, which names the fields, such as externalId']],
    [`${header}\nA,S,pump,"Pump\nB,S,pump,Pump`, ['the row with index 0 opens a quote that is not closed']],
    [`${header}\nA,S,pump,Pu"mp`, [expect.stringMatching(/^line 2 has a quote in the middle of a cell/)]],
    [`${header}\nA,S,pump,"Pu"mp`, [expect.stringMatching(/^line 2 has a quote in the middle of a cell/)]],
    [`"${header}`, ['the header opens a quote that is not closed']],
  ])('refuses %j', (text, details) => {
    expect(detailsOf(text)).toEqual(details)
  })

  it.each([
    ['quotes', '"'.repeat(5_000_000), unclosed],
    ['line ends in quotes', `"${'\n'.repeat(5_000_000)}`, unclosed],
    ['letters', 'a'.repeat(5_000_000), longRow],
    ['line ends', '\n'.repeat(5_000_000), 'the body has more than 100,000 lines'],
  ])('[IMP-33] refuses millions of %s before they are parsed', (_, text, detail) => {
    expect(detailsOf(`${header}\n${text}`)).toEqual([detail])
    expect(detailsOf(text)).toHaveLength(1)
  })

  it.each([
    ['an unquoted cell', 'a 5" pipe'],
    ['a quoted cell', '"a 5" pipe"'],
    ['a quoted cell, after a doubled quote', '"a ""5"" and 6" pipe"'],
  ])('names the line of a quote in the middle of %s, however long the rest is', (_, cell) => {
    const rest = 'B,S,pump,Pump\n'.repeat(20_000)
    const reason = 'has a quote in the middle of a cell: quote the whole cell, and double each quote in it'
    expect(detailsOf(`${header}\nA,S,pump,${cell}\n${rest}`)).toEqual([`line 2 ${reason}`])
    const before = 'A,S,pump,"Pu\r\nmp"\r\n\r\n'
    expect(detailsOf(`${header}\n${before}A,S,pump,${cell}\n${rest}`)).toEqual([`line 5 ${reason}`])
  })

  it('[IMP-03] refuses more than 10,000 rows', () => {
    expect(detailsOf(`${header}\n${'A,S,pump,Pump\n'.repeat(10_001)}`)).toEqual(['a CSV has at most 10,000 rows'])
  })

  it('[IMP-33] reads a long cell, and skips many empty lines', () => {
    const { rows } = read(`${header}\n${'\n'.repeat(50_000)}A,S,pump,"${'x\n'.repeat(100_000)}"`)
    expect(rows).toHaveLength(1)
  })

  it('[IMP-33] refuses lines of very many cells, and does not count delimiters within quotes', () => {
    expect(detailsOf(','.repeat(4_000_000))).toEqual(['line 1 has more than 100 cells'])
    const quoted = `"Pu\nmp${','.repeat(100)}"`
    expect(read(`${header}\nA,S,pump,${quoted}`).rows).toHaveLength(1)
    expect(detailsOf(`${header}\nA,S,pump,${quoted}\n${';,'.repeat(100)}`)).toEqual(['line 4 has more than 100 cells'])
  })
})
