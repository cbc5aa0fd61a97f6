import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { literal, type Sql, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { databaseBytes, tablesBytes, vacuum } from './storage.store.ts'
import { createStorage } from './storage.ts'

const MB = 1024 * 1024
const LIMIT_MB = 32

let stack: TestStack
let building: string
let layerId: string
const measured: number[] = []
beforeAll(async () => {
  stack = await startTestStack({ storageLimitMb: LIMIT_MB })
  building = `/api/v1/buildings/${stack.seeded.buildingId}`
  layerId = (await newLayer('before')).body.id
  stack.storage().onMeasured((bytes) => measured.push(bytes))
})
afterAll(() => stack.close())

const newLayer = (key: string) => stack.send('POST', `${building}/data-layers`, { key, name: key, valueType: 'NUMBER' })
const observe = () =>
  stack.send('POST', `${building}/telemetry/observations`, {
    observations: [{ pointId: stack.idOf(stack.building.points[0]!.key), value: '1' }],
  })
const webhook = () =>
  stack.send('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:1/', events: ['building.point.updated'] })

/** Runs a statement, and makes PostgreSQL update its counters immediately instead of seconds later. */
const counted = (statement: Sql) =>
  stack.db.session(async (session) => {
    const touched = await session.run(statement)
    await session.run(sql`select pg_stat_force_next_flush()`)
    return touched
  })

/** Inserts random data, which cannot be compressed. */
const fill = (megabytes: number) =>
  counted(sql`insert into outbound_events (id, event, body, created_at)
    select gen_random_uuid(), 'x', (select string_agg(sha256((i || ' ' || j || clock_timestamp())::bytea), '')
      from generate_series(1, 32 * 1024) j), now() - interval '1 hour' from generate_series(1, ${megabytes}) i`)

describe('the storage of a sandbox', () => {
  it('[QTA-03] is measured from the start, including files', async () => {
    const first = measured[0]!
    expect(Math.abs(first - (await databaseBytes(stack.db)))).toBeLessThan(MB)
    mkdirSync(join(stack.folder, 'imports'), { recursive: true })
    // The file is a little larger than 3 MB, since vacuum can free a few pages of the database meanwhile.
    writeFileSync(join(stack.folder, 'imports', 'x.part'), Buffer.alloc(3 * MB + 128 * 1024))
    await stack.storage().measure()
    expect(measured.at(-1)! - first).toBeGreaterThanOrEqual(3 * MB)
    rmSync(join(stack.folder, 'imports', 'x.part'))
  })

  it('[QTA-03] is measured again soon after large writes', async () => {
    const before = measured.length
    await fill(4)
    const metadata = { x: 'x'.repeat(60_000) }
    for (let i = 0; i < 60; i++) {
      const body = { key: `big-${i}`, name: 'Big', valueType: 'NUMBER', metadata }
      expect((await stack.send('POST', `${building}/data-layers`, body)).status).toBe(201)
    }
    await expect.poll(() => measured.length).toBeGreaterThan(before)
  })

  it('[QTA-04] refuses writes when it is full, except deletions and changes that slow its growth', async () => {
    const { id } = (await webhook()).body
    expect((await observe()).status).toBe(202)
    await fill(LIMIT_MB)
    await stack.storage().measure()
    const refusal = { code: 'QUOTA_EXCEEDED', quota: 'storage', limit: LIMIT_MB, used: expect.any(Number) }
    for (const answer of [await observe(), await newLayer('after'), await webhook()]) {
      expect(answer).toMatchObject({ status: 429, body: refusal })
      expect(answer.body.used).toBeGreaterThanOrEqual(LIMIT_MB)
    }
    const model = await stack.send('POST', `${building}/import/ifc`, 'ISO-10303-21;', undefined, {
      'content-type': 'application/x-step',
    })
    expect(model).toMatchObject({ status: 429, body: refusal })
    expect((await stack.get(`${building}/spaces`)).status).toBe(200)
    expect((await stack.get('/api/v1/webhooks')).status).toBe(200)
    const paused = await stack.send('PATCH', `/api/v1/webhooks/${id}`, { status: 'paused' })
    expect(paused).toMatchObject({ status: 200, body: { status: 'paused' } })
    expect((await stack.send('PATCH', '/api/v1/settings', { telemetryRetentionDays: 1 })).status).toBe(200)
    expect((await stack.send('DELETE', `${building}/data-layers/${layerId}`)).status).toBe(204)
    expect((await stack.send('POST', `${building}/simulation`, { running: false })).status).toBe(200)
    expect((await stack.get(`${building}/spaces`, null)).status).toBe(401)
  })

  it('[QTA-04] is returned to the disk after deletions, and then writes are allowed again', async () => {
    expect((await observe()).status).toBe(429)
    // The deleted rows are spread over the table: only a rewrite makes it smaller.
    await stack.db.run(sql`delete from outbound_events where id in (
      select id from (select id, row_number() over (order by ctid desc) as place from outbound_events) rows
      where place % 4 <> 1)`)
    await expect
      .poll(async () => {
        await stack.storage().measure()
        return (await observe()).status
      })
      .toBe(202)
    expect(measured.at(-1)!).toBeLessThan(LIMIT_MB * MB)
    expect((await newLayer('again')).status).toBe(201)
  })

  it('[QTA-05] does not count the free space of a table, which later rows will use', async () => {
    await fill(LIMIT_MB)
    await stack.storage().measure()
    expect((await observe()).status).toBe(429)
    const onDisk = await databaseBytes(stack.db)
    const full = measured.at(-1)!
    const rows = (await stack.db.row<{ count: number }>(sql`select count(*) as count from outbound_events`))!.count
    const removed = await counted(sql`delete from outbound_events where id in (
      select id from (select id, row_number() over (order by ctid desc) as place from outbound_events) rows
      where place % 5 = 0)`)
    expect(removed).toBeLessThan(rows * 0.3)
    await expect
      .poll(async () => {
        await stack.storage().measure()
        return full - measured.at(-1)!
      })
      .toBeGreaterThan(removed * 0.7 * MB)
    // The table was not rewritten: the files are as large as they were.
    expect(await databaseBytes(stack.db)).toBeGreaterThan(onDisk - MB)
    const free = measured.at(-1)!
    await fill(removed)
    await expect
      .poll(async () => {
        await stack.storage().measure()
        return measured.at(-1)! - free
      })
      .toBeGreaterThan(removed * 0.7 * MB)
    expect(await databaseBytes(stack.db)).toBeLessThan(onDisk + 2 * MB)
    await stack.db.run(sql`truncate outbound_events cascade`)
  })

  it('[QTA-05] counts the space that PostgreSQL keeps in pages for updates as used, and not as free', async () => {
    await stack.db.run(sql`create table half_filled (id int, data bytea) with (fillfactor = 50)`)
    await stack.db.run(sql`insert into half_filled
      select i, sha256(i::text::bytea) from generate_series(1, 40000) i`)
    const table = async () => {
      await vacuum(stack.db, 'half_filled')
      return (await tablesBytes(stack.db, 0)).find(({ name }) => name === 'half_filled')!
    }
    const full = await table()
    expect(full.free / full.bytes).toBeLessThan(0.2)
    await counted(sql`delete from half_filled where id % 4 <> 0`)
    const { free, bytes } = await table()
    expect(free / bytes).toBeGreaterThan(0.6)
    await stack.db.run(sql`drop table half_filled`)
  })

  it('[QTA-04] is vacuumed once when it is full, and does not prevent its stack from starting', async () => {
    await fill(LIMIT_MB)
    const storage = createStorage({ db: stack.db, folder: stack.folder, limitMb: LIMIT_MB, log: silentLog })
    await stack.db.transaction(async (tx) => {
      // This lock prevents a vacuum of the table.
      await tx.run(sql`lock table outbound_events in share row exclusive mode`)
      await storage.start()
      expect(() => storage.check()).toThrow(/MB of storage/)
    })
    await storage.measure()
    const vacuums = async () => {
      await stack.db.run(sql`select pg_stat_clear_snapshot(), pg_stat_force_next_flush()`)
      return await stack.db.row(
        sql`select vacuum_count as count from pg_stat_user_tables where relname = 'outbound_events'`,
      )
    }
    await storage.measure()
    const before = await vacuums()
    // Only system catalogs change here, as they do when other sandboxes are created. These changes must not cause a
    // vacuum.
    await stack.db.run(sql`analyze outbound_events`)
    await stack.db.run(sql`comment on table outbound_events is 'x'`)
    await stack.db.run(sql`comment on table outbound_events is 'y'`)
    await storage.measure()
    await storage.measure()
    expect(await vacuums()).toEqual(before)
    await storage.close()
  })

  it('[QTA-04] is reclaimed by a later attempt if one failed, even if no more rows were deleted', async () => {
    // In PL/pgSQL, because PostgreSQL would inline a function in SQL into the index, and keep its first definition.
    const define = (body: string) =>
      stack.db.run(sql`create or replace function rank_of(id int) returns int immutable language plpgsql
        as ${literal(`begin return ${body}; end`)}`)
    await define('id')
    await stack.db.run(sql`create table ranked (id int, data bytea)`)
    await stack.db.run(sql`create index on ranked (rank_of(id))`)
    await stack.db.run(sql`insert into ranked select i, (select string_agg(sha256((i || ' ' || j)::bytea), '')
      from generate_series(1, 32) j) from generate_series(1, ${LIMIT_MB * 1024}) i`)
    const storage = createStorage({
      ...{ db: stack.db, folder: stack.folder, limitMb: LIMIT_MB, log: silentLog },
      retryMs: 0,
    })
    // Without this function the index cannot be built again, so the table cannot be rewritten.
    await define('1 / (id - id)')
    await counted(sql`delete from ranked where id % 4 <> 0`)
    await expect(storage.measure()).rejects.toThrow('division by zero')
    await define('id')
    const before = await databaseBytes(stack.db)
    await storage.measure()
    expect(await databaseBytes(stack.db)).toBeLessThan(before - (LIMIT_MB * MB) / 2)
    await stack.db.run(sql`drop table ranked`)
    await storage.close()
  })

  it('[QTA-04] is measured even without a limit, and then refuses nothing', async () => {
    const free = await startTestStack({ storageLimitMb: 0 })
    try {
      const figures: number[] = []
      free.storage().onMeasured((bytes) => figures.push(bytes))
      expect(figures).toHaveLength(1)
      const body = { key: 'any', name: 'Any', valueType: 'NUMBER' }
      const made = await free.send('POST', `/api/v1/buildings/${free.seeded.buildingId}/data-layers`, body)
      expect(made.status).toBe(201)
    } finally {
      await free.close()
    }
  })
})
