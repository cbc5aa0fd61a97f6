import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, readMigrations, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CONTROL_MIGRATIONS } from '../migrations.ts'
import { createLeadership, type Leadership, LeadershipLost } from './leadership.ts'

describe('the lease of the control plane that leads', () => {
  let test: TestDatabase
  const open: { close(): Promise<void> }[] = []
  beforeAll(async () => {
    test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
  })
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part.close()
    await test.database.run(sql`update control_lease set lease_holder = null, leased_until = null`)
  })
  afterAll(() => test.drop())

  function plane(planeId: string, others: () => Leadership[] = () => []) {
    const events: string[] = []
    const db = openDatabase({ url: test.url, log: silentLog, applicationName: planeId, maxConnections: 1 })
    const leadership = createLeadership({
      ...{ db, planeId, log: silentLog, times: { durationMs: 1_500, everyMs: 100 } },
      onGained: () => events.push('gained'),
      onLost: () => events.push('lost'),
      onReleased: async () => {
        for (const other of others()) other.wake()
      },
    })
    open.push(db, leadership)
    leadership.start()
    return { events, leadership, db }
  }

  it('[PLN-02] is held by one control plane, and another takes it at once when the holder resigns', async () => {
    const first = plane('one', () => [second.leadership])
    await expect.poll(() => first.leadership.isLeader()).toBe(true)
    const second = plane('two')
    await sleep(400)
    expect(second.leadership.isLeader()).toBe(false)
    await first.leadership.resign()
    expect(first.leadership.isLeader()).toBe(false)
    await expect.poll(() => second.leadership.isLeader()).toBe(true)
    expect(first.events).toEqual(['gained', 'lost'])
    await sleep(400)
    expect(first.leadership.isLeader()).toBe(false)
  })

  it('[PLN-02] is taken over after the holder ended without releasing it', async () => {
    const first = plane('one')
    await expect.poll(() => first.leadership.isLeader()).toBe(true)
    // As after a crash, the lease is neither renewed nor released.
    await first.db.close()
    const second = plane('two')
    await expect.poll(() => second.leadership.isLeader(), { timeout: 10_000 }).toBe(true)
    expect(first.leadership.isLeader()).toBe(false)
    await expect.poll(() => first.events).toEqual(['gained', 'lost'])
  })

  it('[PLN-02] protects writes: a control plane that has lost the lease writes nothing', async () => {
    const first = plane('one')
    await expect.poll(() => first.leadership.isLeader()).toBe(true)
    await test.database.transaction((tx) => first.leadership.fence(tx))
    await test.database.run(sql`update control_lease set lease_holder = 'other'`)
    await expect(test.database.transaction((tx) => first.leadership.fence(tx))).rejects.toThrow(LeadershipLost)
  })

  it('[PLN-02] lets a control plane see that its last report is so old that others may have taken over its work', async () => {
    const { leadership, db } = plane('one')
    await expect.poll(() => leadership.aliveEpoch()).toBe(1)
    await db.transaction(async (tx) => {
      // The only connection is in use, so the control plane cannot report.
      await tx.run(sql`select pg_sleep(2)`)
      expect(leadership.aliveEpoch()).toBeUndefined()
      expect(leadership.isLeader()).toBe(false)
    })
    await expect.poll(() => leadership.aliveEpoch()).toBe(2)
  })
})
