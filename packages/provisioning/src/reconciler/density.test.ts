import { type Queryable, readMigrations, type Sql, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  countMigrations,
  listToMigrate,
  listWork,
  startExpired,
  startPurge,
  undoExpired,
} from '../features/sandboxes/index.ts'
import { CONTROL_MIGRATIONS } from '../migrations.ts'
import { listDue } from '../stacks/due-work.store.ts'

const SANDBOXES = 5_000

let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
  const db = test.database
  await db.run(sql`insert into organizations (id, name, created_at) values ('org_1', 'One', now())`)
  await db.run(sql`insert into developers (id, organization_id, created_at) values ('dev_1', 'org_1', now())`)
  await db.run(sql`
    insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building, telemetry_days, status,
      created_at, requested_at, expires_at, request_hash, schema_version)
    select 'sbx_' || n, 'dev_1', 'org_1', 'org_' || n, 'Asleep', 'asleep-' || n, '{}', 7, 'ready',
      now(), now(), now() + interval '14 days', '', 1 from generate_series(1, ${SANDBOXES}) n`)
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
    row: (statement) => explain(statement).then(() => undefined),
    run: (statement) => explain(statement).then(() => 0),
  })
  return plan
}

describe('checks that run periodically', () => {
  const now = new Date()
  it.each<[string, (db: Queryable) => Promise<unknown>]>([
    ['expiry', (db) => startExpired(db, now)],
    ['removal of expired sandboxes', (db) => startPurge(db, now, now)],
    ['expiries by a wrong clock', (db) => undoExpired(db, now)],
    ['creation and removal', (db) => listWork(db)],
    ['migrations', (db) => listToMigrate(db)],
    ['counts of migrations', (db) => countMigrations(db)],
    ['wake-ups', (db) => listDue(db, now)],
  ])('[SBX-63] read only sandboxes with something to do: %s', async (_, work) => {
    const plan = await planOf(work)
    expect(plan).toContain('sandboxes')
    expect(plan).not.toContain('Seq Scan on sandboxes')
  })
})
