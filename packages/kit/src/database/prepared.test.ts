import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { prepared, sql } from './sql.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
})
afterAll(() => test.drop())

const double = (n: number) => prepared(sql`select ${n}::int * 2 as double`)
const triple = (n: number) => prepared(sql`select ${n}::int * 3 as triple`)

it('a prepared statement is parsed once on a connection, and runs with any values', async () => {
  await test.database.session(async (session) => {
    expect(await session.row(double(2))).toEqual({ double: 4 })
    expect(await session.row(triple(5))).toEqual({ triple: 15 })
    expect(await session.row(double(3))).toEqual({ double: 6 })
    const known = await session.rows(sql`select statement from pg_prepared_statements order by prepare_time`)
    expect(known.map(({ statement }) => statement)).toEqual([
      'select $1::int * 2 as double',
      'select $1::int * 3 as triple',
    ])
  })
})
