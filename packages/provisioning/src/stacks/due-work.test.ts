import { readMigrations, sql } from '@storey/kit/database'
import { testDatabase } from '@storey/kit/testing'
import { expect, it } from 'vitest'
import { CONTROL_MIGRATIONS } from '../migrations.ts'
import { countOverdue, listDue } from './due-work.store.ts'

it('[OPR-02] due work of a suspended sandbox is overdue only after the sandbox is resumed', async () => {
  const test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
  const db = test.database
  const now = new Date()
  const found = async () => [await countOverdue(db, now), (await listDue(db, now, 10)).length]
  await db.run(sql`insert into organizations (id, name, created_at) values ('org_1', 'One', now())`)
  await db.run(sql`insert into developers (id, organization_id, created_at) values ('dev_1', 'org_1', now())`)
  await db.run(sql`
    insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building, telemetry_days, status,
      created_at, requested_at, expires_at, request_hash, due_at)
    values ('sbx_1', 'dev_1', 'org_1', 'org_2', 'Asleep', 'asleep-1', '{}', 7, 'ready',
      now(), now(), now() + interval '14 days', '', ${new Date(now.getTime() - 3_600_000)})`)
  expect(await found()).toEqual([1, 1])
  await db.run(sql`update sandboxes set suspended_at = now()`)
  expect(await found()).toEqual([0, 0])
  await db.run(sql`update sandboxes set suspended_at = null`)
  expect(await found()).toEqual([1, 1])
  await test.drop()
})
