import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { type Database, type DatabaseOptions, openDatabase, type Tx } from './database.ts'
import { openDedicatedClient } from './dedicated-client.ts'
import { identifier, type Sql, sql } from './sql.ts'
import { TIME_LIMITS, type TimeLimits } from './time-limits.ts'
import { unavailableCode } from './unavailable.ts'

const SHORT: TimeLimits = { statementMs: 400, lockMs: 100, idleInTransactionMs: 100 }

let test: TestDatabase
const opened: Database[] = []
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
  await test.database.run(sql`create table kept (id int primary key, n int not null)`)
  await test.database.run(sql`insert into kept values (1, 0)`)
})
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close()
})
afterAll(() => test.drop())

function open(options: Partial<DatabaseOptions> = {}): Database {
  const database = openDatabase({
    ...{ url: test.url, log: silentLog, applicationName: 'limits', maxConnections: 1 },
    ...options,
  })
  opened.push(database)
  return database
}

const raise = (db: Pick<Tx, 'run'>) => db.run(sql`update kept set n = n + 1 where id = 1`)
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (err: Error & { statement?: string }) => err,
  )

async function limitsOf(db: Pick<Tx, 'row'>): Promise<TimeLimits> {
  const setting = (name: string) => sql`(select setting::int from pg_settings where name = ${name})`
  const row = await db.row<TimeLimits & Record<string, number>>(sql`
    select ${setting('statement_timeout')} as "statementMs", ${setting('lock_timeout')} as "lockMs",
      ${setting('idle_in_transaction_session_timeout')} as "idleInTransactionMs"`)
  return row!
}

describe('time limits of the database', () => {
  it('[HST-57] are set on every connection', async () => {
    expect(await limitsOf(open())).toEqual(TIME_LIMITS.request)
    expect(await limitsOf(open({ limits: TIME_LIMITS.long }))).toEqual(TIME_LIMITS.long)
    const client = await openDedicatedClient({ url: test.url, applicationName: 'limits' })
    const row = async (statement: Sql) => (await client.query(statement.toQuery())).rows[0]
    expect(await limitsOf({ row })).toEqual(TIME_LIMITS.dedicated)
    await client.end()
  })

  it('[HST-57] are longer for background work, and are restored afterwards', async () => {
    const db = open({ limits: SHORT })
    await db.session(async (session) => {
      expect(await session.withLimits(TIME_LIMITS.long, () => limitsOf(session))).toEqual(TIME_LIMITS.long)
      expect(await limitsOf(session)).toEqual(SHORT)
      await failure(session.withLimits(TIME_LIMITS.long, () => session.run(sql`select 1 / 0`)))
      expect(await limitsOf(session)).toEqual(SHORT)
    })
    expect(await db.transaction(limitsOf, TIME_LIMITS.long)).toEqual(TIME_LIMITS.long)
    expect(await limitsOf(db)).toEqual(SHORT)
    await failure(db.transaction((tx) => tx.withLimits(TIME_LIMITS.long, () => tx.run(sql`select 1 / 0`))))
    expect(await limitsOf(db)).toEqual(SHORT)
  })

  it('[HST-57] of a transaction are restored after `withLimits`, and end with the transaction', async () => {
    const db = open({ limits: SHORT, maxConnections: 1 })
    const own = { ...TIME_LIMITS.long, lockMs: 7_000 }
    const seen = await db.transaction(async (tx) => {
      const within = await tx.withLimits(TIME_LIMITS.request, () => limitsOf(tx))
      return [within, await limitsOf(tx)]
    }, own)
    expect(seen).toEqual([TIME_LIMITS.request, own])
    expect(await limitsOf(db)).toEqual(SHORT)
  })

  it('[HST-57] cancel a statement that waits too long for a lock; the same statement succeeds after the lock is released', async () => {
    const db = open({ limits: SHORT })
    await test.database.transaction(async (holder) => {
      await raise(holder)
      const err = await failure(raise(db))
      expect(unavailableCode(err)).toBe('55P03')
      expect(err!.statement).toBe('update kept set n = n + 1 where id = 1')
    })
    expect(await raise(db)).toBe(1)
  })

  it('[HST-57] cancel a statement that takes too long, and keep its connection', async () => {
    const db = open({ limits: SHORT })
    const pid = () => db.row(sql`select pg_backend_pid() as pid`)
    const before = await pid()
    const err = await failure(db.run(sql`select pg_sleep(${60})`))
    expect(unavailableCode(err)).toBe('57014')
    expect(err!.statement).toBe('select pg_sleep($1)')
    expect(await pid()).toEqual(before)
  })

  it('[HST-57] end a transaction that was left idle, so that its locks are free', async () => {
    const db = open({ limits: SHORT })
    const left = failure(
      db.transaction(async (tx) => {
        await raise(tx)
        // This waits for a lock of the open transaction, until the server ends that transaction because it is idle.
        await raise(test.database)
        await raise(tx)
      }),
    )
    expect(unavailableCode(await left)).toBe('25P03')
    expect(await raise(db)).toBe(1)
  })

  it('[HST-58] close the connection to a frozen server that does not cancel its statement', async () => {
    const db = open({ limits: SHORT, silentMs: 100, maxConnections: 2 })
    const frozen = failure(db.run(sql`select pg_sleep(60)`))
    const working = sql`select pid from pg_stat_activity where query like '%pg_sleep(60)%' and state = 'active'
      and pid <> pg_backend_pid()`
    await expect.poll(() => test.database.rows(working), { interval: 5 }).toHaveLength(1)
    const { pid } = (await test.database.row<{ pid: number }>(working))!
    process.kill(pid, 'SIGSTOP')
    try {
      expect(unavailableCode(await frozen)).toBe('connection lost')
      expect(await raise(db)).toBe(1)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
  })
})

it.each([
  ['off', 'on'],
  ['remote_apply', 'remote_apply'],
])('[HST-67] a commit is durable even if the database sets synchronous_commit to %s', async (set, expected) => {
  const name = identifier(new URL(test.url).pathname.slice(1))
  await test.database.run(sql`alter database ${name} set synchronous_commit to ${identifier(set)}`)
  expect(await open().row(sql`select current_setting('synchronous_commit') as value`)).toEqual({ value: expected })
})
