import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { type Network, startNetwork } from '../testing/network.ts'
import { type Database, openDatabase } from './database.ts'
import { sql } from './sql.ts'
import { TIME_LIMITS } from './time-limits.ts'
import { isUnavailable } from './unavailable.ts'

const SILENT_MS = 200

/** Like a pooler, replaces the pid of the server process with a pid that the server does not know. */
function withOtherPid(data: Buffer): Buffer {
  const at = data.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
  if (at !== -1) data.writeInt32BE(data.readInt32BE(at + 5) + 1_000_000, at + 5)
  return data
}

describe('connections that the network dropped', () => {
  let test: TestDatabase
  let network: Network
  const opened: Database[] = []
  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
    await test.database.run(sql`create table kept (n integer)`)
    network = await startNetwork(test.url)
  })
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close()
  })
  afterAll(async () => {
    network.close()
    await test.drop()
  })

  function open(maxConnections: number): Database {
    const options = { log: silentLog, applicationName: 'silent', maxConnections, silentMs: SILENT_MS }
    const database = openDatabase({ url: network.url, ...options })
    opened.push(database)
    return database
  }
  const untilConnected = (database: Database, count: number) =>
    Promise.all(Array.from({ length: count }, () => database.run(sql`select pg_sleep(0.1)`)))

  it('[HST-42] are closed, and new connections work', async () => {
    const database = open(3)
    await untilConnected(database, 3)
    network.loseAll()
    const waiting = [
      database.ping(),
      database.run(sql`insert into kept values (1)`),
      database.transaction((tx) => tx.run(sql`insert into kept values (2)`)),
    ]
    for (const { status, ...rest } of await Promise.allSettled(waiting)) {
      expect(status).toBe('rejected')
      expect(isUnavailable((rest as { reason: unknown }).reason)).toBe(true)
    }
    expect(await database.run(sql`insert into kept values (3)`)).toBe(1)
  })

  it('[HST-42] are not reused once one of them was found to be dropped', async () => {
    const database = open(3)
    await untilConnected(database, 3)
    network.loseAll()
    await expect(database.ping()).rejects.toThrow('Connection terminated')
    const before = network.count()
    await untilConnected(database, 3)
    expect(network.count() - before).toBe(3)
  })

  it('[HST-42] are distinguished from connections with a slow statement, a wait for a lock, or an idle transaction', async () => {
    const database = open(3)
    const slow = database.run(sql`select pg_sleep(${(SILENT_MS * 6) / 1000})`)
    const thinking = database.transaction(async (tx) => {
      await tx.run(sql`lock table kept`)
      await new Promise((resolve) => setTimeout(resolve, SILENT_MS * 6))
      return await tx.run(sql`insert into kept values (4)`)
    })
    const locked = database.rows(sql`select n from kept where n = 4`)
    expect(await slow).toBe(1)
    expect(await thinking).toBe(1)
    await locked
  })

  it('[HST-58] are closed when the server has not answered at all for a while, even if their statement may take hours', async () => {
    const frozen = await startNetwork(test.url)
    const options = { log: silentLog, applicationName: 'frozen', maxConnections: 1, silentMs: SILENT_MS }
    const database = openDatabase({ url: frozen.url, ...options, unansweredMs: 500, limits: TIME_LIMITS.migration })
    const statement = database.run(sql`select pg_sleep(60)`)
    // A server that freezes while a connection is being opened is detected differently.
    const isRunning = sql`select 1 from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'`
    await expect.poll(() => test.database.row(isRunning)).toBeDefined()
    frozen.freeze()
    await expect(statement).rejects.toThrow('the server does not respond')
    frozen.thaw()
    expect(await database.run(sql`insert into kept values (5)`)).toBe(1)
    await database.close()
    frozen.close()
  }, 20_000)

  it('[HST-42] are distinguished from slow connections of a pooler, whose pids the server does not know', async () => {
    const pooled = await startNetwork(test.url, withOtherPid)
    const options = { log: silentLog, applicationName: 'pooled', maxConnections: 1, silentMs: SILENT_MS }
    const database = openDatabase({ url: pooled.url, ...options })
    expect(await database.run(sql`select pg_sleep(${(SILENT_MS * 6) / 1000})`)).toBe(1)
    await database.close()
    pooled.close()
  })
})
