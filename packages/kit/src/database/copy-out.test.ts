import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { copyOut } from './copy-out.ts'
import { sql } from './sql.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
})
afterAll(() => test.drop())

const BYTES = `select n, case when n % 3 = 0 then null else decode(repeat(md5(n::text), n * 37), 'hex') end
  from generate_series(1, 300) n`

describe('rows in binary form', () => {
  it('are returned one by one, at any size, with empty and null values distinguished', async () => {
    const expected = await test.database.rows<{ n: number; length: number | null }>(
      sql`select n, case when n % 3 = 0 then null else n * 37 * 16 end as length from generate_series(1, 300) n`,
    )
    const found = await test.database.session(async (tx) => {
      const rows: unknown[] = []
      for await (const [n, bytes] of copyOut(tx, BYTES)) {
        rows.push({ n: n!.readInt32BE(), length: bytes?.length ?? null })
      }
      for await (const [empty] of copyOut(tx, "select ''::bytea")) rows.push(empty!.length)
      return rows
    })
    expect(found).toEqual([...expected, 0])
  })

  it('leave the connection usable when the reader stops early or the query fails', async () => {
    await test.database.session(async (tx) => {
      for await (const [n] of copyOut(tx, BYTES)) if (n!.readInt32BE() === 2) break
      expect(await tx.row(sql`select 1 as one`)).toEqual({ one: 1 })
      await expect(copyOut(tx, 'select 1 / (n - 5) from generate_series(1, 9) n').next()).rejects.toThrow(/zero/)
      expect(await tx.row(sql`select 2 as two`)).toEqual({ two: 2 })
    })
  })
})
