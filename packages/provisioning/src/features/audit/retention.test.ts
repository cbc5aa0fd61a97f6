import { movableClock } from '@storey/kit/clock'
import { createClockCheck } from '@storey/kit/clock-check'
import { readMigrations, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTROL_MIGRATIONS } from '../../migrations.ts'
import { selectOldEvents } from './audit.store.ts'
import { removeOldRows, startRetention } from './retention.ts'

const SHORT_AGREEMENT = { afterStartMs: 0, afterDisagreementMs: 60_000, beforeRemovalMs: 0 }
const trusted = (clock: ReturnType<typeof movableClock>) =>
  createClockCheck({
    clock,
    serverTime: async () => clock.now(),
    elapsedMs: clock.elapsedMs,
    agreement: SHORT_AGREEMENT,
    log: silentLog,
  })

describe('[AUD-14] old rows', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
  })
  afterAll(() => test.drop())

  const add = (at: string, count = 1) =>
    test.database.run(sql`insert into key_audit (at, action, outcome)
      select ${at}::timestamptz, 'key.used', 'denied' from generate_series(1, ${count}::int)`)
  const left = async () =>
    (await test.database.rows<{ at: Date }>(sql`select distinct at from key_audit order by at`)).map((row) =>
      row.at.toISOString().slice(0, 19),
    )

  it('are deleted when they are 18 months old, and not before', async () => {
    const clock = movableClock(new Date('2026-08-31T12:00:00Z'))
    await add('2025-02-28T11:59:59Z', 12_000)
    await add('2025-02-28T12:00:00Z')
    await add('2026-08-31T11:00:00Z')
    const clockCheck = trusted(clock)
    expect(await removeOldRows({ control: test.database, clockCheck })).toBe(12_000)
    expect(await left()).toEqual(['2025-02-28T12:00:00', '2026-08-31T11:00:00'])
    clock.advance(1_000)
    expect(await removeOldRows({ control: test.database, clockCheck })).toBe(1)
    expect(await left()).toEqual(['2026-08-31T11:00:00'])
  })

  it('are deleted automatically', async () => {
    const clock = movableClock(new Date('2030-01-01T00:00:00Z'))
    const retention = startRetention({
      ...{ control: test.database, clockCheck: trusted(clock), log: silentLog },
      isLeader: () => true,
    })
    await expect.poll(left).toEqual([])
    await retention.stop()
  })

  it('are not deleted if they only seem old because a clock is ahead', async () => {
    await add('2026-08-31T11:00:00Z')
    const clock = movableClock(new Date('2026-09-01T00:00:00Z'))
    const clockCheck = trusted(clock)
    expect(await removeOldRows({ control: test.database, clockCheck })).toBe(0)
    clock.set(new Date('2036-09-01T00:00:00Z'))
    expect(await removeOldRows({ control: test.database, clockCheck })).toBe(0)
    // The clock of the database server is right, but that of the process is not.
    const serverTime = async () => new Date('2026-09-01T00:00:00Z')
    const other = createClockCheck({ clock, serverTime, agreement: SHORT_AGREEMENT, log: silentLog })
    expect(await removeOldRows({ control: test.database, clockCheck: other })).toBe(0)
    expect(await left()).toEqual(['2026-08-31T11:00:00'])
  })

  it('are found by an index', async () => {
    await test.database.run(sql`insert into key_audit (at, action, outcome)
      select timestamptz '2026-01-01' + n * interval '1 second', 'key.used', 'denied' from generate_series(1, 5000) n`)
    await test.database.run(sql`analyze key_audit`)
    const old = selectOldEvents({ table: 'key_audit', now: new Date('2026-01-01'), months: 12 }, 5000)
    const plan = await test.database.rows<Record<string, string>>(sql`explain ${old}`)
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('key_audit_pkey')
  })
})
