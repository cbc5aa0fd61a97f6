import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { copyBetween } from './copy-between.ts'
import { type Database, openDatabase } from './database.ts'
import { sql } from './sql.ts'

describe('copying rows from one database to another', () => {
  let [first, second]: TestDatabase[] = []
  beforeAll(async () => {
    first = await testDatabase({ migrations: [] })
    second = await testDatabase({ migrations: [] })
    await second.database.run(sql`create table numbers (n int primary key check (n <= 200000), text text)`)
  })
  afterAll(() => Promise.all([first!.drop(), second!.drop()]))

  const query = (count: number) => `select n, case when n % 2 = 0 then 'é' || n end from generate_series(1, ${count}) n`
  const open = ({ url }: TestDatabase): Database =>
    openDatabase({ url, log: silentLog, applicationName: 'test', maxConnections: 1 })
  async function copy(count: number, signal?: AbortSignal): Promise<number> {
    const [source, target] = [open(first!), open(second!)]
    try {
      return await source.session((from) =>
        target.session((to) =>
          copyBetween({ from, query: query(count), to, target: 'numbers (n, text)', ...(signal ? { signal } : {}) }),
        ),
      )
    } finally {
      await Promise.all([source.close(), target.close()])
    }
  }

  it('[OPR-12] copies all rows unchanged', async () => {
    expect(await copy(100_000)).toBe(100_000)
    const rows = await second!.database.rows(
      sql`select count(*) as all, count(text) as texts, max(text) as last from numbers`,
    )
    expect(rows).toEqual([{ all: 100_000, texts: 50_000, last: 'é99998' }])
    await second!.database.run(sql`truncate numbers`)
  })

  it('[OPR-12] ends with the error of the target when the target refuses a row', async () => {
    await expect(copy(3_000_000)).rejects.toThrow('violates check constraint')
    expect(await second!.database.rows(sql`select 1 from numbers limit 1`)).toEqual([])
  })

  it('[OPR-12] ends when it is aborted', async () => {
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 50)
    await expect(copy(100_000_000, abort.signal)).rejects.toThrow()
    expect(await copy(10)).toBe(10)
  })
})
