import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { sql } from './sql.ts'
import { createVacuum, type Vacuum } from './vacuum.ts'

let test: TestDatabase
let vacuum: Vacuum
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
  vacuum = createVacuum({ db: test.database, log: silentLog })
  // Autovacuum is off, because it would do the same work as the tested code.
  const off = sql`with (autovacuum_enabled = off)`
  await test.database.run(sql`create table changed (n int) ${off}`)
  await test.database.run(sql`create table unchanged (n int) ${off}`)
})
afterAll(async () => {
  await vacuum.close()
  await test.drop()
})

type Counts = { vacuums: number; analyzes: number }

/** A session writes its counters after a transaction, at most once a second. This call makes it write them now. */
const flushed = () => test.database.run(sql`select pg_stat_force_next_flush()`)
const countsOf = async (table: string): Promise<Counts> =>
  (await test.database.row<Counts>(sql`select vacuum_count as vacuums, analyze_count as analyzes
    from pg_stat_user_tables where relname = ${table}`))!

describe('vacuum of a database in use', () => {
  it('[STK-31] cleans tables in which many rows were changed, and no others', async () => {
    for (const table of [sql`changed`, sql`unchanged`]) {
      await test.database.run(sql`insert into ${table} select generate_series(1, 40)`)
    }
    await vacuum.run()
    expect(await countsOf('changed')).toEqual({ vacuums: 0, analyzes: 0 })
    await test.database.session(async (session) => {
      await session.run(sql`update changed set n = n + 1`)
      await session.run(sql`update changed set n = n + 1`)
      await session.run(sql`select pg_stat_force_next_flush()`)
    })
    await flushed()
    await vacuum.run()
    expect(await countsOf('changed')).toEqual({ vacuums: 1, analyzes: 1 })
    expect(await countsOf('unchanged')).toEqual({ vacuums: 0, analyzes: 0 })
    await vacuum.run()
    expect(await countsOf('changed')).toEqual({ vacuums: 1, analyzes: 1 })
  })

  it('[STK-31] updates statistics of tables that only grow', async () => {
    await test.database.session(async (session) => {
      await session.run(sql`insert into unchanged select generate_series(1, 200)`)
      await session.run(sql`select pg_stat_force_next_flush()`)
    })
    await flushed()
    await vacuum.run()
    expect(await countsOf('unchanged')).toEqual({ vacuums: 0, analyzes: 1 })
  })
})
