import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { type Cell, copyLine, copyRows } from './copy.ts'
import { sql } from './sql.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
})
afterAll(() => test.drop())

/** PostgreSQL stores every text except one with a NUL character. */
const text = fc.string({ unit: 'binary' }).map((s) => s.replaceAll('\0', '').toWellFormed())
const row = fc.tuple(text, fc.option(text), fc.double({ noNaN: true }), fc.boolean(), fc.array(fc.array(fc.integer())))

async function roundTrip(rows: readonly (readonly Cell[])[]): Promise<unknown[]> {
  return test.database.transaction(async (tx) => {
    await tx.client.query(`create temporary table copied (
      at integer generated always as identity, a text, b text, c double precision, d boolean, e json) on commit drop`)
    await copyRows(tx, 'copied', ['a', 'b', 'c', 'd', 'e'], rows)
    const back = await tx.rows<Record<string, unknown>>(sql`select a, b, c, d, e from copied order by at`)
    return back.map(({ a, b, c, d, e }) => [a, b, c, d, e])
  })
}

describe('COPY', () => {
  it('escapes the special characters of its text format', () => {
    expect(copyLine(['a\tb', 'c\\N', null, 'd\r\ne', 1.5, true, [[0, 1]]])).toBe(
      'a\\tb\tc\\\\N\t\\N\td\\r\\ne\t1.5\ttrue\t[[0,1]]\n',
    )
  })

  it('stores any text unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (rows) => {
        expect(await roundTrip(rows)).toEqual(rows.map((r) => r.map((cell) => (Object.is(cell, -0) ? 0 : cell))))
      }),
      { numRuns: 50 },
    )
  })

  it('streams more rows than fit into one chunk', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => [`row ${i} ${'é'.repeat(50)}`, null, i, i % 2 === 0, [[i]]])
    expect(await roundTrip(rows)).toEqual(rows)
  })

  it('fails when a row does not match the table', async () => {
    await expect(roundTrip([['a', 'b', 'not a number' as unknown as number, true, []]])).rejects.toThrow(/double/)
  })
})
