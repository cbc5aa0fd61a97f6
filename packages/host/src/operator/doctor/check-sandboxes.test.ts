import { sql } from '@storey/kit/database'
import { testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { DATABASE_MISSING } from '@storey/provisioning/operator'
import { expect, it } from 'vitest'
import { readSettings } from '../../settings.ts'
import { runOperator } from '../run-operator.ts'
import { checkSandboxes } from './check-sandboxes.ts'

it('[OPR-09] the text of each finding about sandboxes names what it counts, so that it is clear without the other findings', async () => {
  const test = await testDatabase({ migrations: [] })
  const { database: db } = test
  try {
    const DATA_DIR = temporaryFolder('storey-doctor')
    const env = { DATABASE_URL: test.url, MASTER_SECRET: 'x'.repeat(40), DATA_DIR }
    const organizationId = await runOperator(['org', 'create', 'Counted'], env)
    await db.run(sql`insert into developers (id, organization_id, created_at) values ('dev', ${organizationId}, now())`)
    await db.run(sql`insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building,
        telemetry_days, status, created_at, requested_at, expires_at, request_hash)
      select 'sbx_' || slug, 'dev', ${organizationId}, 'org_' || slug, 'n', slug, '{}', 0, 'ready', now(), now(), now(), ''
      from unnest(array['failed', 'lost', 'broken', 'behind', 'full', 'stuck']) slug`)
    await db.run(sql`update sandboxes set status = 'failed', failure_reason = 'x' where slug = 'failed'`)
    await db.run(sql`update sandboxes set status = 'failed', failure_reason = ${DATABASE_MISSING} where slug = 'lost'`)
    await db.run(sql`update sandboxes set migration_failure = 'y' where slug = 'broken'`)
    await db.run(sql`update sandboxes set schema_version = 1 where slug = 'behind'`)
    await db.run(sql`update sandboxes set storage_bytes = 1048576 where slug = 'full'`)
    await db.run(sql`update sandboxes set removing_at = now() - interval '1 hour' where slug = 'stuck'`)
    const settings = readSettings({ ...env, SANDBOX_STORAGE_MB: '1' })
    const { all } = await checkSandboxes(db, undefined, DATA_DIR, settings)
    expect(all.map(({ text }) => text)).toEqual([
      'sandboxes: 3 ready, 0 suspended, 0 expired and not yet removed',
      'sandboxes in creation or removal for more than half an hour: 1',
      'failed sandboxes (1): failed (x)',
      'sandboxes without a database (1): lost',
      'sandboxes that could not be migrated (1): broken (y)',
      'sandboxes with an older schema: 1',
      'sandboxes at 90 % or more of SANDBOX_STORAGE_MB (1): full (1024 kB)',
    ])
  } finally {
    await test.drop()
  }
})
