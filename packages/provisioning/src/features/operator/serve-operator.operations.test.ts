import { readMigrations, sql } from '@storey/kit/database'
import { silentLog } from '@storey/kit/log'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTROL_MIGRATIONS } from '../../migrations.ts'
import { createStackPool } from '../../stacks/index.ts'
import { createOperatorLoop, findAnswer, insertRequest } from './index.ts'

const ID = 'sbx_1'

describe('the loop for operator commands', () => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await testDatabase({ migrations: readMigrations(CONTROL_MIGRATIONS) })
    await test.database.run(sql`insert into organizations (id, name, created_at) values ('org_1', 'One', now())`)
    await test.database.run(
      sql`insert into developers (id, organization_id, created_at) values ('dev_1', 'org_1', now())`,
    )
    await test.database.run(sql`
      insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building, telemetry_days, status,
        created_at, requested_at, expires_at, request_hash, suspended_at)
      values (${ID}, 'dev_1', 'org_1', 'org_2', 'One', 'one', '{}', 0, 'ready', now(), now(),
        now() + interval '1 day', '', now())`)
  })
  afterAll(() => test.drop())

  it.each([
    ['fails', () => Promise.reject(new Error('the cluster does not answer'))],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('[OPR-02] answers requests while stopping a suspended sandbox’s stack %s, and tries it once', async (_, stop) => {
    let attempts = 0
    const stacks = createStackPool({
      ...{ idleMs: 0, log: silentLog, send: () => undefined, onStopped: () => undefined },
      ...{ stopRetry: { firstMs: 60_000, maxMs: 60_000 }, keepDue: async () => undefined },
      start: async () => ({ host: '127.0.0.1', port: 1, ended: new Promise(() => undefined) }),
      stop() {
        attempts++
        return stop()
      },
    })
    const { release } = await stacks.use({ id: ID, organizationId: 'org_1' })
    release()
    const { report } = { report: async () => ({ stacks: {} }) as never }
    const loop = createOperatorLoop({
      ...{ control: test.database, stacks, runtime: { report }, isLeader: () => true, log: silentLog, everyMs: 20 },
      ...{ onChange: () => undefined, undoAbandonedMoves: async () => undefined },
    })
    loop.start()
    for (let i = 0; i < 3; i++) {
      const request = await insertRequest(test.database, { kind: 'list_stacks' })
      await expect.poll(() => findAnswer(test.database, request)).toMatchObject([{ sandboxId: ID, state: 'stopping' }])
    }
    expect(attempts).toBe(1)
    await loop.stop()
  })
})
