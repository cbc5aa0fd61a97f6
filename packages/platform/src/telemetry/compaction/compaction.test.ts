import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '@storey/kit/clock'
import { createClockCheck } from '@storey/kit/clock-check'
import { readMigrations, serverTime, sql } from '@storey/kit/database'
import { type Log, silentLog } from '@storey/kit/log'
import { testDatabase } from '@storey/kit/testing'
import { expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../../migrations.ts'
import { createCompaction } from './compaction.ts'

it('looks now and then, and not all the time, while somebody’s transaction keeps much waiting', async () => {
  const {
    database: db,
    url: databaseUrl,
    drop,
  } = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  let looks = 0
  const log: Log = Object.create(silentLog, { debug: { value: () => void looks++ } })
  const clockCheck = createClockCheck({ clock: systemClock, serverTime: () => serverTime(db), log: silentLog })
  const compaction = createCompaction({ db, databaseUrl, applicationName: 'test', clockCheck, log })
  await db.transaction(async (tx) => {
    await tx.run(sql`select pg_current_xact_id()`)
    await db.run(sql`insert into observation_batches (received_at, first_at, last_at, count, data)
      select now(), now(), now(), 1, convert_to(repeat('x', 1024 * 1024), 'UTF8') from generate_series(1, 13)`)
    await compaction.start()
    await expect.poll(() => looks, { timeout: 20_000 }).toBeGreaterThan(0)
    await sleep(2_500)
    await db.run(sql`delete from observation_batches`)
  })
  await compaction.close()
  await drop()
  expect(looks).toBeLessThan(20)
})
