import { type Queryable, readMigrations, type Sql, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readOperatorWork } from '../features/operator/operator-work.store.ts'
import {
  countExpired,
  countMigrations,
  filterToMigrate,
  findBoundary,
  listOwned,
  listToMigrate,
  listToProvision,
  listToRemove,
  readWorkStates,
  setMigrated,
  setMigrationFailed,
  startExpired,
  startPurge,
  statusCounts,
  undoExpired,
} from '../features/sandboxes/index.ts'
import { CONTROL_MIGRATIONS } from '../migrations.ts'
import { countOverdue, type DueRow, listDue, listRunning } from '../stacks/due-work.store.ts'
import { countOn } from '../tenants/servers/servers.store.ts'

const SANDBOXES = 5_000

let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
  const db = test.database
  await db.run(sql`insert into organizations (id, name, created_at) values ('org_1', 'One', now())`)
  await db.run(sql`insert into developers (id, organization_id, created_at) values ('dev_1', 'org_1', now())`)
  await db.run(sql`
    insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building, telemetry_days, status,
      created_at, requested_at, expires_at, request_hash, schema_version, due_at)
    select 'sbx_' || n, 'dev_1', 'org_1', 'org_' || n, 'Asleep', 'asleep-' || n, '{}', 7, 'ready',
      now(), now(), now() + interval '14 days', '', 1, now() + interval '1 day' from generate_series(1, ${SANDBOXES}) n`)
  await db.run(sql`analyze sandboxes`)
})
afterAll(() => test.drop())

/** The query plan of the statement that `work` runs. The statement itself is not executed. */
async function planOf(work: (db: Queryable) => Promise<unknown>): Promise<string> {
  let plan = ''
  const explain = async (statement: Sql) => {
    const lines = await test.database.rows<{ 'QUERY PLAN': string }>(sql`explain ${statement}`)
    plan = lines.map((line) => line['QUERY PLAN']).join('\n')
  }
  await work({
    rows: (statement) => explain(statement).then(() => []),
    row: <R>(statement: Sql) => explain(statement).then(() => ({}) as R),
    run: (statement) => explain(statement).then(() => 0),
  })
  return plan
}

describe('checks that run periodically', () => {
  const now = new Date()
  const busy = { ids: ['sbx_1'], locks: [1] }
  const last: DueRow = { id: 'sbx_1', organizationId: 'org_1', serverId: 'control', dueAt: now }
  it.each<[string, (db: Queryable) => Promise<unknown>]>([
    ['expiry', (db) => startExpired(db, now, 500)],
    ['removal of expired sandboxes', (db) => startPurge(db, now, now, 500)],
    ['expiries by a wrong clock', (db) => undoExpired(db, now)],
    ['creation of small sandboxes', (db) => listToProvision(db, busy, 'small', 100)],
    ['creation of large sandboxes', (db) => listToProvision(db, busy, 'large', 100)],
    ['removal', (db) => listToRemove(db, { ...busy, present: ['control'] }, 100)],
    ['work in progress', (db) => readWorkStates(db, ['sbx_1', 'sbx_2'])],
    ['migrations', (db) => listToMigrate(db, 2, busy, 100)],
    ['migrations that a request waits for', (db) => filterToMigrate(db, 2, busy, ['sbx_1'])],
    ['counts of migrations', (db) => countMigrations(db)],
    ['counts of expired sandboxes', (db) => countExpired(db)],
    ['counts of overdue work', (db) => countOverdue(db, now)],
    ['wake-ups', (db) => listDue(db, now, 1000)],
    ['further wake-ups', (db) => listDue(db, now, 1000, last)],
    ['stacks that ended without a report', (db) => listRunning(db)],
    ['suspensions and moves', (db) => readOperatorWork(db)],
    ['a part of a sweep', (db) => listOwned(db, { after: 'sbx_1', upTo: 'sbx_2' })],
    ['the next part of a sweep', (db) => findBoundary(db, 'sbx_1', 100)],
    ['sandboxes of another server', (db) => countOn(db, 'srv_other1', 5)],
  ])('[SBX-63] find their sandboxes without reading all of them: %s', async (_, work) => {
    const plan = await planOf(work)
    expect(plan).toContain('sandboxes')
    expect(plan).not.toContain('Seq Scan on sandboxes')
  })
})

describe('counts of sandboxes', () => {
  it('[SBX-63] read an index, and not the sandboxes', async () => {
    await test.database.run(sql`vacuum analyze sandboxes`)
    expect(await planOf(statusCounts)).toContain('Index Only Scan using sandboxes_by_status on sandboxes')
  })
})

describe('migrations of many sandboxes', () => {
  it('[STK-14] find the sandbox that a request waits for, however many are due before it', async () => {
    const nobody = { ids: [], locks: [] }
    const undone = test.database.transaction(async (tx) => {
      await tx.run(sql`update sandboxes set migration_target = 2`)
      await tx.run(sql`update sandboxes set created_at = now() - interval '1 day' where id = 'sbx_7'`)
      const next = await listToMigrate(tx, 2, nobody, 100)
      expect(next).toHaveLength(100)
      expect(next).not.toContain('sbx_7')
      expect(await filterToMigrate(tx, 2, nobody, ['sbx_7', 'sbx_none'])).toEqual(['sbx_7'])
      expect(await filterToMigrate(tx, 2, { ids: ['sbx_7'], locks: [] }, ['sbx_7'])).toEqual([])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
  })

  it('[PLN-10] leave unchanged what a control plane of another version has scheduled', async () => {
    const nobody = { ids: [], locks: [] }
    const undone = test.database.transaction(async (tx) => {
      await tx.run(sql`update sandboxes set migration_target = 2`)
      expect(await listToMigrate(tx, 1, nobody, 100)).toEqual([])
      expect(await filterToMigrate(tx, 1, nobody, ['sbx_7'])).toEqual([])
      await setMigrationFailed(tx, { id: 'sbx_7', version: 1 }, 'failed', { firstS: 60, maxS: 60 })
      await setMigrated(tx, { id: 'sbx_7', version: 1 })
      const state = sql`select migration_target as target, migration_failure as failure from sandboxes where id = 'sbx_7'`
      expect(await tx.row(state)).toEqual({ target: 2, failure: null })
      await setMigrated(tx, { id: 'sbx_7', version: 2 })
      expect(await tx.row(state)).toEqual({ target: null, failure: null })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
  })
})
