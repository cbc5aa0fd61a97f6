import { type Sql, sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runOperator } from '../run-operator.ts'
import { listFailed, listFailedMigrations, listNearlyFull, readSandboxFacts } from './sandboxes.store.ts'

const MANY = 25
let test: TestDatabase

beforeAll(async () => {
  test = await testDatabase({ migrations: [] })
  const env = { DATABASE_URL: test.url, MASTER_SECRET: 'x'.repeat(40), DATA_DIR: temporaryFolder('storey-doctor') }
  const organizationId = await runOperator(['org', 'create', 'Counted'], env)
  const { database: db } = test
  await db.run(sql`insert into developers (id, organization_id, created_at) values ('dev', ${organizationId}, now())`)
  await db.run(sql`insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building,
      telemetry_days, status, created_at, requested_at, expires_at, request_hash)
    select 'sbx_' || n, 'dev', ${organizationId}, 'org_' || n, 'n', 'slug-' || n, '{}', 0, 'ready', now(), now(), now(), ''
    from generate_series(1, ${MANY}::int) n`)
})
afterAll(() => test.drop())

const update = (changes: Sql, which = sql`true`) =>
  test.database.run(sql`update sandboxes set ${changes} where ${which}`)

describe('the sandboxes that the doctor counts', () => {
  it('[OPR-09] are ready, suspended or expired, and each counts once', async () => {
    const counts = async () => {
      const { ready, suspended, expired } = await readSandboxFacts(test.database)
      return { ready, suspended, expired }
    }
    expect(await counts()).toEqual({ ready: MANY, suspended: 0, expired: 0 })
    await update(sql`suspended_at = now()`, sql`id in ('sbx_1', 'sbx_2')`)
    await update(sql`expired_at = now()`, sql`id in ('sbx_2', 'sbx_3')`)
    expect(await counts()).toEqual({ ready: MANY - 3, suspended: 1, expired: 2 })
    await update(sql`suspended_at = null, expired_at = null`)
  })

  it('[OPR-09] include every sandbox that has failed, whose migration has failed, or that has little storage left', async () => {
    await update(sql`status = 'failed', failure_reason = 'x', migration_failure = 'y', storage_bytes = 95`)
    const lists = [
      await listFailed(test.database),
      await listFailedMigrations(test.database),
      await listNearlyFull(test.database, 100),
    ]
    expect(lists.map(({ length }) => length)).toEqual([MANY, MANY, MANY])
  })
})
