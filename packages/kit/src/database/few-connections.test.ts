import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { type Database, type DatabaseOptions, openDatabase } from './database.ts'
import { identifier, sql } from './sql.ts'

let test: TestDatabase
let db: Database
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
})
afterEach(() => db.close())
afterAll(() => test.drop())

function open(options: Partial<DatabaseOptions>): void {
  const usual = { url: test.url, log: silentLog, applicationName: 'few', maxConnections: 5 }
  db = openDatabase({ ...usual, minConnections: 1, idleMs: 20, ...options })
}
const pid = async () => (await db.row<{ pid: number }>(sql`select pg_backend_pid() as pid`))!.pid
const count = async () =>
  (await test.database.row<{ count: number }>(
    sql`select count(*) as count from pg_stat_activity where application_name = 'few'`,
  ))!.count

describe('connections of a pool', () => {
  it('[STK-30] are not opened for statements that can wait a moment for a busy connection', async () => {
    open({ openAfterMs: 60_000 })
    const first = await pid()
    expect(new Set(await Promise.all([pid(), pid(), pid()]))).toEqual(new Set([first]))
  })

  it('[STK-30] are opened while all open connections stay busy, and all but one are closed again', async () => {
    open({})
    const slow = Array.from({ length: 3 }, () => db.run(sql`select pg_sleep(0.2)`))
    await expect.poll(count, { interval: 10 }).toBe(3)
    await Promise.all(slow)
    await expect.poll(count, { interval: 10 }).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(await count()).toBe(1)
  })

  it.each([
    ['waits for a connection of the full pool', { maxConnections: 1 }],
    ['waits before it opens another connection', { openAfterMs: 60_000 }],
  ])(
    '[STK-30] tell a long session that other work waits for a connection, while a statement %s',
    async (_, options) => {
      open(options)
      await pid()
      const other = await db.session(async (session) => {
        expect(session.isWanted()).toBe(false)
        const waiting = pid()
        await expect.poll(() => session.isWanted()).toBe(true)
        return { waiting }
      })
      await other.waiting
      await db.session(async (session) => expect(session.isWanted()).toBe(false))
    },
  )

  it('[STK-30] tell a long session that other work waits for a connection, while the server permits no further one', async () => {
    const role = `few_${randomBytes(6).toString('hex')}`
    const url = new URL(test.url)
    const name = identifier(decodeURIComponent(url.pathname.slice(1)))
    ;[url.username, url.password] = [role, 'few']
    await test.database.run(sql`create role ${identifier(role)} login password 'few' connection limit 1`)
    await test.database.run(sql`grant connect on database ${name} to ${identifier(role)}`)
    try {
      open({ url: url.href, openAfterMs: 1 })
      const first = await pid()
      let ended = false
      const other = await db.session(async (session) => {
        const waiting = pid().finally(() => {
          ended = true
        })
        await expect.poll(() => session.isWanted()).toBe(true)
        // `isWanted` returns false during the attempts to open a connection, which take little of the time.
        let wanted = 0
        for (let i = 0; i < 50; i++) {
          await new Promise((resolve) => setTimeout(resolve, 10))
          if (session.isWanted()) wanted++
        }
        expect(wanted).toBeGreaterThan(25)
        expect(ended).toBe(false)
        return { waiting }
      })
      expect(await other.waiting).toBe(first)
    } finally {
      await db.close()
      await test.database.run(sql`drop owned by ${identifier(role)}`)
      await test.database.run(sql`drop role ${identifier(role)}`)
    }
  })

  it('are reported to a long session as unusable when they are broken', async () => {
    open({})
    await db.session(async (session) => {
      const row = await session.row<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      await test.database.run(sql`select pg_terminate_backend(${row!.pid})`)
      await expect.poll(() => session.isUsable()).toBe(false)
    })
    await pid()
  })
})
