import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { backendOf, endBackend, type SessionLockOptions, takeSessionLock } from './session-lock.ts'
import { sql } from './sql.ts'

describe('a lock that a connection holds', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
  })
  afterAll(() => test.drop())

  const take = (key: number, changes: Partial<SessionLockOptions> = {}) =>
    takeSessionLock({
      ...{ url: test.url, key, applicationName: `lock ${key}`, log: silentLog, pauseMs: 50 },
      onWait: () => undefined,
      onLost: () => undefined,
      ...changes,
    })
  const cut = (key: number) =>
    test.database.run(
      sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${`lock ${key}`}`,
    )

  it('[HST-37] is taken by a second process only after the first releases it', async () => {
    const first = await take(1)
    let waited = 0
    const second = take(1, { onWait: () => waited++ })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(waited).toBe(1)
    expect(first.isHeld()).toBe(true)
    await first.release()
    expect((await second).isHeld()).toBe(true)
    await (await second).release()
  })

  it('[PLN-02] is held by several processes at once if they share it, and a process that needs it alone waits for all of them', async () => {
    const shared = await Promise.all([take(7, { isShared: true }), take(7, { isShared: true })])
    expect(shared.map((lock) => lock.isHeld())).toEqual([true, true])
    let waited = 0
    const alone = take(7, { onWait: () => waited++ })
    await expect.poll(() => waited).toBe(1)
    for (const lock of shared) await lock.release()
    expect((await alone).isHeld()).toBe(true)
    await (await alone).release()
  })

  it('[HST-37] is not held while its connection is broken, and is reacquired afterwards', async () => {
    // The lock can be held again before the next statement of this test, so `note` reads its state when the loss is
    // logged.
    const held: boolean[] = []
    const note = () => held.push(lock.isHeld())
    const lock = await take(2, { log: { ...silentLog, warn: note } })
    await cut(2)
    await expect.poll(() => held).toEqual([false])
    await expect.poll(() => lock.isHeld()).toBe(true)
    await lock.release()
  })

  it('[HST-37] is reacquired after its server process was frozen, although that process still holds it', async () => {
    let lost = false
    const lock = await take(5, {
      onLost: () => {
        lost = true
      },
    })
    const row = await test.database.row<{ pid: number }>(
      sql`select pid from pg_stat_activity where application_name = 'lock 5'`,
    )
    process.kill(row!.pid, 'SIGSTOP')
    await expect.poll(() => lock.isHeld()).toBe(false)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    process.kill(row!.pid, 'SIGCONT')
    await expect.poll(() => lock.isHeld()).toBe(true)
    expect(lost).toBe(false)
    await lock.release()
  })

  it('[HST-37] is lost permanently if another process took it while its connection was broken', async () => {
    let lost = false
    const first = await take(3, {
      onLost: () => {
        lost = true
      },
    })
    const isStillHeld = await test.database.session(async (other) => {
      // A connection that waits for the lock gets it before the first process can reacquire it.
      const taken = other.run(sql`select pg_advisory_lock(3)`)
      const waiting = () => test.database.row(sql`select 1 from pg_locks where locktype = 'advisory' and not granted`)
      await expect.poll(waiting).toBeDefined()
      await cut(3)
      await taken
      await expect.poll(() => lost).toBe(true)
      await other.run(sql`select pg_advisory_unlock(3)`)
      return first.isHeld()
    })
    expect(isStillHeld).toBe(false)
    await first.release()
  })

  it('[HST-37] is no longer waited for when the signal is aborted', async () => {
    const first = await take(4)
    const abort = new AbortController()
    const second = take(4, { signal: abort.signal, onWait: () => abort.abort() })
    await expect(second).rejects.toThrow()
    await first.release()
  })

  it('[HST-37] is released by ending its backend, which is identified by its pid and its start time', async () => {
    const [holder, other] = [new pg.Client(test.url), new pg.Client(test.url)]
    holder.on('error', () => undefined)
    await Promise.all([holder.connect(), other.connect()])
    const ended = new Promise<void>((resolve) => holder.once('end', resolve))
    await holder.query('select pg_advisory_lock(6)')
    const own = await backendOf(holder)
    expect(await endBackend(other, 6, { ...own, startedAt: '1790000000.000001' })).toBe(false)
    expect((await holder.query('select 1 as here')).rows).toEqual([{ here: 1 }])
    expect(await endBackend(other, 6, own)).toBe(true)
    await ended
    await other.end()
  })
})
