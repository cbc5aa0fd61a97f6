import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../testing/index.ts'
import { openTestTracing } from '../testing/open-test-tracing.ts'
import { startTraceReceiver, type TraceReceiver } from '../testing/trace-receiver.ts'
import { inSpan, type OpenedTracing } from '../tracing/index.ts'
import { copyRows } from './copy.ts'
import { copyOut } from './copy-out.ts'
import type { Tx } from './database.ts'
import { sql } from './sql.ts'

let test: TestDatabase
let receiver: TraceReceiver
let tracing: OpenedTracing
beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
  await test.database.run(sql`create table notes (id integer primary key, body text)`)
  receiver = await startTraceReceiver()
  tracing = await openTestTracing(receiver)
})
afterEach(() => {
  receiver.spans.length = 0
})
afterAll(async () => {
  await tracing.close()
  await receiver.stop()
  await test.drop()
})

/** Runs the work in a trace. Returns its result or error, and the spans of its statements, ordered by their start. */
async function statementsOf(work: () => Promise<unknown>) {
  const result = await inSpan({ name: 'request' }, async () => work().catch((err) => err))
  await expect.poll(() => receiver.named('request')).toHaveLength(1)
  const [{ spanId }] = receiver.named('request') as [TraceReceiver['spans'][0]]
  const spans = receiver.spans.filter(({ name }) => name !== 'request' && !name.startsWith('wait '))
  for (const { parentSpanId } of spans) expect(parentSpanId).toBe(spanId)
  return { result, spans: spans.sort((a, b) => a.startMs - b.startMs) }
}

describe('statements of the database', () => {
  it('in a trace become client spans that name the tables and contain no values', async () => {
    const { database } = test
    const { spans } = await statementsOf(async () => {
      await database.run(sql`insert into notes (id, body) values (${1}, ${'a secret'})`)
      await database.rows(sql`select id from notes where body = ${'a secret'}`)
    })
    expect(spans.map(({ name }) => name)).toEqual(['insert notes', 'select notes'])
    const url = new URL(test.url)
    expect(spans[0]).toMatchObject({
      kind: 3,
      hasFailed: false,
      attributes: {
        'db.system.name': 'postgresql',
        'db.namespace': url.pathname.slice(1),
        'db.operation.name': 'insert',
        'db.query.summary': 'insert notes',
        'server.address': url.hostname,
        'server.port': Number(url.port),
      },
    })
    expect(JSON.stringify(receiver.spans)).not.toContain('secret')
  })

  it('of a transaction are followed by its commit', async () => {
    const { spans } = await statementsOf(() =>
      test.database.transaction((tx) => tx.run(sql`update notes set body = ${'b'} where id = ${1}`)),
    )
    expect(spans.map(({ name }) => name)).toEqual(['update notes', 'commit'])
  })

  it('that copy rows in either direction become spans too', async () => {
    const { spans } = await statementsOf(() =>
      test.database.transaction(async (tx) => {
        await copyRows(tx, 'notes', ['id', 'body'], [[2, 'c']])
        for await (const _row of copyOut(tx, 'select body from notes'));
      }),
    )
    expect(spans.map(({ name }) => name)).toEqual(['copy notes', 'select notes', 'commit'])
  })

  it('that fail have spans with the error code of PostgreSQL, but without the error message', async () => {
    const { spans, result } = await statementsOf(() =>
      test.database.run(sql`insert into notes (id, body) values (${1}, ${'a secret'})`),
    )
    expect(result).toMatchObject({ code: '23505' })
    expect(spans[0]).toMatchObject({
      hasFailed: true,
      attributes: { 'error.type': '23505', 'db.response.status_code': '23505' },
    })
    expect(JSON.stringify(spans)).not.toMatch(/already exists|secret/)
  })

  it('that copy rows in either direction and fail have spans with the error code, without values', async () => {
    for (const copy of [
      (tx: Tx) => copyRows(tx, 'notes', ['id'], [['a secret']]),
      async (tx: Tx) => {
        for await (const _row of copyOut(tx, "select ('a secret' || body)::integer from notes"));
      },
    ]) {
      receiver.spans.length = 0
      const { spans, result } = await statementsOf(() => test.database.session(copy))
      expect(result).toMatchObject({ code: '22P02' })
      expect(spans).toMatchObject([
        { hasFailed: true, attributes: { 'error.type': '22P02', 'db.response.status_code': '22P02' } },
      ])
      expect(JSON.stringify(spans)).not.toContain('secret')
    }
  })

  it('outside of a trace have no spans', async () => {
    await test.database.rows(sql`select id from notes`)
    const { spans } = await statementsOf(async () => undefined)
    expect(spans).toEqual([])
  })
})
