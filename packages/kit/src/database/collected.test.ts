import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { testDatabase } from '../testing/index.ts'
import { sql } from './sql.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void

const oldBytes = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size

it('a statement leaves almost no garbage that only a collection of the whole heap can free', async () => {
  const { database: db, drop } = await testDatabase({ migrations: [] })
  const STATEMENTS = 2_000
  async function run(): Promise<number> {
    const before = oldBytes()
    for (let i = 0; i < STATEMENTS; i++) {
      await db.row(sql`select ${i}::integer as number`)
      if (i % 20 === 0) collect({ type: 'minor' })
    }
    return (oldBytes() - before) / STATEMENTS
  }
  await run()
  const bytes = await run()
  await drop()
  expect(bytes).toBeLessThan(500)
})
