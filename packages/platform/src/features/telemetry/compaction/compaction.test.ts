import { setTimeout as sleep } from 'node:timers/promises'
import { movableClock, systemClock } from '@storey/kit/clock'
import { createClockCheck } from '@storey/kit/clock-check'
import { readMigrations, serverTime, sql } from '@storey/kit/database'
import { type Log, silentLog } from '@storey/kit/log'
import { testDatabase } from '@storey/kit/testing'
import { expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../../../migrations.ts'
import { copyChunks } from '../storage/telemetry.store.ts'
import { findUnmerged } from './compaction.store.ts'
import { createCompaction } from './compaction.ts'
import type { FoldedChunk } from './fold-batches.ts'

it('compaction tries at intervals to fold while another transaction blocks folding', async () => {
  const {
    database: db,
    url: databaseUrl,
    drop,
  } = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  let tries = 0
  const log: Log = Object.create(silentLog, { debug: { value: () => void tries++ } })
  const clockCheck = createClockCheck({ clock: systemClock, serverTime: () => serverTime(db), log: silentLog })
  const compaction = createCompaction({ db, databaseUrl, applicationName: 'test', clockCheck, log })
  await db.transaction(async (tx) => {
    await tx.run(sql`select pg_current_xact_id()`)
    await db.run(sql`insert into observation_batches (received_at, first_at, last_at, count, data)
      select now(), now(), now(), 1, convert_to(repeat('x', 1024 * 1024), 'UTF8') from generate_series(1, 13)`)
    await compaction.start()
    await expect.poll(() => tries, { timeout: 20_000 }).toBeGreaterThan(0)
    await sleep(2_500)
    await db.run(sql`delete from observation_batches`)
  })
  await compaction.close()
  await drop()
  expect(tries).toBeLessThan(20)
})

it('[HIS-24] compaction deletes old days even in a sandbox that is awake only briefly each day', async () => {
  const { database: db, url, drop } = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  const clock = movableClock(new Date('2026-03-10T12:00:00Z'))
  await db.run(sql`insert into settings (name, value) values ('telemetryRetentionDays', '3')`)
  await db.run(sql`insert into observation_chunks (point, day, count, data)
    select 1, day, 1, '\\x00' from generate_series('2026-03-01'::date, '2026-03-10', '1 day') day`)
  const firstDay = async () =>
    (await db.row<{ day: string }>(sql`select min(day)::text as day from observation_chunks`))!.day
  const seen = async () => (await db.row<{ at: Date }>(sql`select seen_at as at from telemetry_upkeep`))?.at
  /** Runs a new compaction until the condition holds. As in a new process, it knows only what is stored. */
  async function awake(until: () => Promise<boolean>): Promise<void> {
    const clockCheck = createClockCheck({ clock, serverTime: async () => clock.now(), log: silentLog })
    const compaction = createCompaction({
      ...{ db, databaseUrl: url, applicationName: 'test', clockCheck, log: silentLog, firstUpkeepMs: 0 },
    })
    await compaction.start()
    await expect.poll(until, { timeout: 20_000 }).toBe(true)
    await compaction.close()
  }
  const isSeenNow = async () => (await seen())?.getTime() === clock.now().getTime()
  await awake(isSeenNow)
  expect(await firstDay()).toBe('2026-03-01')
  // The clock is a month ahead for a moment, and then right again: the time that was recorded meanwhile is ignored.
  clock.set(new Date('2026-04-10T12:00:00Z'))
  await db.run(sql`delete from telemetry_upkeep`)
  await awake(isSeenNow)
  clock.set(new Date('2026-03-11T12:00:00Z'))
  await awake(isSeenNow)
  expect(await firstDay()).toBe('2026-03-01')
  clock.set(new Date('2026-03-12T12:00:00Z'))
  await awake(isSeenNow)
  expect(await firstDay()).toBe('2026-03-09')
  await drop()
})

it('[HIS-32] after a change of the retention, days that are too old by a confirmed time are deleted, even within an hour of the last deletion', async () => {
  const { database: db, url, drop } = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  const clock = movableClock(new Date('2027-03-10T12:00:00Z'))
  let elapsedMs = 0
  await db.run(sql`insert into settings (name, value) values ('telemetryRetentionDays', '3')`)
  await db.run(sql`insert into observation_chunks (point, day, count, data)
    select 1, day, 1, '\\x00' from generate_series('2026-03-01'::date, '2026-03-10', '1 day') day`)
  const firstDay = async () =>
    (await db.row<{ day: string }>(sql`select min(day)::text as day from observation_chunks`))!.day
  const upkeep = () =>
    db.row<{ seenAt: Date; doneAt: Date | null }>(
      sql`select seen_at as "seenAt", done_at as "doneAt" from telemetry_upkeep`,
    )
  const clockCheck = createClockCheck({
    ...{ clock, serverTime: async () => clock.now(), elapsedMs: () => elapsedMs, log: silentLog },
  })
  const compaction = createCompaction({
    ...{ db, databaseUrl: url, applicationName: 'test', clockCheck, log: silentLog, firstUpkeepMs: 3_600_000 },
  })
  await compaction.start()
  // The clocks of this process and of the database server are a year ahead when the process starts.
  compaction.runUpkeep()
  await expect.poll(upkeep).toEqual({ seenAt: clock.now(), doneAt: null })
  expect(await firstDay()).toBe('2026-03-01')
  // The clocks are right, and an earlier process has recorded the time of yesterday.
  clock.set(new Date('2026-03-10T12:00:00Z'))
  await clockCheck.compare()
  await db.run(sql`update telemetry_upkeep set seen_at = '2026-03-09T12:00:00Z', done_at = '2026-03-10T11:50:00Z'`)
  compaction.runUpkeep()
  await expect.poll(firstDay).toBe('2026-03-07')
  // After ten minutes, the time of this process is confirmed.
  await clockCheck.compare()
  clock.advance(600_000)
  elapsedMs += 600_000
  compaction.runUpkeep()
  await expect.poll(firstDay).toBe('2026-03-08')
  await compaction.close()
  await drop()
})

it('[HIS-33] compaction merges past days slowly while clients send observations', async () => {
  const { database: db, url, drop } = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  const clock = movableClock(new Date('2027-03-10T12:00:00Z'))
  const clockCheck = createClockCheck({ clock, serverTime: async () => clock.now(), log: silentLog })
  const compaction = createCompaction({
    ...{ db, databaseUrl: url, applicationName: 'test', clockCheck, log: silentLog, firstUpkeepMs: 3_600_000 },
  })
  await compaction.start()
  /** Stores two pieces of each of twelve days, and returns how long the upkeep takes to merge them. */
  async function mergeMs(firstDay: number): Promise<number> {
    await db.transaction((tx) =>
      copyChunks(
        tx,
        Array.from({ length: 24 }, (_, i) => pieceOf(firstDay + (i >> 1), i & 1)),
      ),
    )
    await db.run(sql`delete from telemetry_upkeep`)
    await db.run(sql`insert into telemetry_upkeep (seen_at, done_at)
      values (${clock.now()}::timestamptz - interval '1 day', ${clock.now()}::timestamptz - interval '1 day')`)
    const from = performance.now()
    compaction.runUpkeep()
    const left = async () => (await findUnmerged(db, clock.now(), { max: 1 })).length
    await expect.poll(left, { timeout: 30_000, interval: 10 }).toBe(0)
    return performance.now() - from
  }
  await mergeMs(10_000)
  // The shorter of two times, because other work on the machine makes a time longer.
  const quietMs = Math.min(await mergeMs(11_000), await mergeMs(11_500))
  const client = setInterval(() => compaction.noteBatch(1), 1)
  const busyMs = await mergeMs(12_000)
  clearInterval(client)
  expect(busyMs).toBeGreaterThan(3 * quietMs)
  await compaction.close()
  await drop()
})

const PIECE = 40_000
/** The first or the second piece of a day. */
const pieceOf = (day: number, piece: number): FoldedChunk => ({
  ...{ point: 1, day, sources: null },
  offsetsMs: Uint32Array.from({ length: PIECE }, (_, i) => piece * PIECE + i),
  values: new Float64Array(PIECE).fill(21.5),
})
