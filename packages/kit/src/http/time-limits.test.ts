import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase, sql } from '../database/index.ts'
import { silentLog } from '../log.ts'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { createHttp } from './app.ts'

const limits = { statementMs: 400, lockMs: 100, idleInTransactionMs: 10_000 }

describe('a request whose database work exceeds a time limit', () => {
  let test: TestDatabase
  let db: Database
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) })

  beforeAll(async () => {
    test = await testDatabase({ migrations: [] })
    await test.database.run(sql`create table kept (n int)`)
    db = openDatabase({ url: test.url, log: silentLog, applicationName: 'limits', maxConnections: 1, limits })
  })
  afterAll(async () => {
    await db.close()
    await test.drop()
  })

  it('[ERR-37] gets a 503 NOT_READY with Retry-After, and its route is logged at most once in ten seconds', async () => {
    const app = await createHttp({
      ...{ title: 'Test', description: 'A test', log },
      authorize: async () => undefined,
      checkReady: async () => undefined,
    })
    const config = { access: 'public' }
    app.get('/locked/:id', { config }, async () => ({ rows: await db.run(sql`insert into kept values (1)`) }))
    app.get('/slow', { config }, async () => ({ rows: await db.run(sql`select pg_sleep(60)`) }))
    await test.database.transaction(async (holder) => {
      await holder.run(sql`lock table kept`)
      for (let i = 0; i < 2; i++) {
        const refused = await app.inject(`/locked/${i}`)
        expect(refused.statusCode).toBe(503)
        expect(refused.headers['retry-after']).toBe('2')
        expect(refused.json()).toMatchObject({ code: 'NOT_READY', detail: expect.stringContaining('try again') })
      }
    })
    expect((await app.inject('/locked/1')).json()).toEqual({ rows: 1 })

    const slow = await app.inject('/slow')
    expect([slow.statusCode, slow.headers['retry-after'], slow.json().code]).toEqual([503, '5', 'NOT_READY'])
    expect(lines).toMatchObject([
      {
        msg: 'database lock not acquired in time',
        route: 'GET /locked/:id',
        code: '55P03',
        statement: 'insert into kept values (1)',
      },
      { msg: 'database statement exceeded its time limit', route: 'GET /slow', code: '57014' },
    ])
  })
})
