import { sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runOperator } from './run-operator.ts'

let folder: string
let test: TestDatabase
const SANDBOX = 'sbx_letters'
const OTHER = 'sbx_others'

beforeAll(async () => {
  folder = temporaryFolder('storey-letters')
  test = await testDatabase({ migrations: [] })
  const organizationId = await operator('org', 'create', 'Letters')
  const db = test.database
  await db.run(sql`insert into installation (tag) values ('letter')`)
  await db.run(sql`insert into developers (id, organization_id, created_at) values ('dev', ${organizationId}, now())`)
  for (const id of [SANDBOX, OTHER])
    await db.run(sql`insert into sandboxes (id, developer_id, organization_id, tenant_id, name, slug, building,
        telemetry_days, status, created_at, requested_at, expires_at, request_hash)
      values (${id}, 'dev', ${organizationId}, ${`org_${id}`}, 'n', ${id.slice(4)}, '{}', 0, 'ready', now(), now(),
        now(), '')`)
  await addLetter('dlt_a', SANDBOX, '{"observations":[\u001b[2J\u202e\u2028]}')
  await addLetter('dlt_b', SANDBOX, 'second')
})
afterAll(async () => {
  await test.drop()
})

async function addLetter(id: string, sandboxId: string, payload: string): Promise<void> {
  await test.database.run(sql`insert into dead_letters (id, sandbox_id, topic, payload, arrived_at, digest, reason,
      request_id, first_failed_at, last_failed_at, attempts)
    values (${id}, ${sandboxId}, 'svc/t', ${Buffer.from(payload)}, now(), sha256(${Buffer.from(payload)}),
      ${'two\nlines'}, 'req_1', now(), now(), 7)`)
}

const marked = () => test.database.rows(sql`select id from dead_letters where resend_requested_at is not null`)

const operator = (...args: string[]) =>
  runOperator(args, { DATABASE_URL: test.url, MASTER_SECRET: 'x'.repeat(40), DATA_DIR: folder })

describe('dead letters in the operator command', () => {
  it('[MQT-13] are listed one per line: all of them, or those of one sandbox', async () => {
    const listed = (await operator('dead-letters')).split('\n').map((line) => line.split('\t'))
    expect(listed.map(([id, sandboxId]) => [id, sandboxId])).toEqual([
      ['dlt_a', SANDBOX],
      ['dlt_b', SANDBOX],
    ])
    expect(listed[0]!.slice(3)).toEqual(['7', '29', 'req_1', 'two\\u000alines'])
    expect(await operator('dead-letters', 'list', '--sandbox', SANDBOX)).toContain('dlt_b')
    expect(await operator('dead-letters', '--sandbox', 'sbx_other')).toBe('')
  })

  it('[MQT-13] are shown with their payload, without characters that a terminal could take as commands or that reorder text', async () => {
    const text = await operator('dead-letters', 'show', 'dlt_a')
    expect(text).toContain('topic\tsvc/t')
    expect(text).toContain('reason\ttwo\\u000alines')
    expect(text).toContain('{"observations":[\\u001b[2J\\u202e\\u2028]}')
    await expect(operator('dead-letters', 'show', 'dlt_x')).rejects.toThrow('Dead letter dlt_x not found.')
  })

  it('[MQT-13] are marked for the service to resend, and the result is reported', async () => {
    const answer = operator('dead-letters', 'resend', '--sandbox', SANDBOX)
    await expect.poll(marked).toHaveLength(2)
    await test.database.run(sql`delete from dead_letters where id = 'dlt_a'`)
    await test.database.run(sql`update dead_letters set resend_requested_at = null, reason = 'again'`)
    expect((await answer).split('\n').sort()).toEqual(['dlt_a\tstored', 'dlt_b\tfailed\tagain'])
    await expect(operator('dead-letters', 'resend')).rejects.toThrow('--sandbox')
    await expect(operator('dead-letters', 'resend', 'dlt_x')).rejects.toThrow('No dead letter found')
  })

  it('[MQT-13] are reported as deleted if an operator deletes them, or their sandbox is deleted, before they are resent', async () => {
    await addLetter('dlt_c', OTHER, 'third')
    await addLetter('dlt_d', OTHER, 'fourth')
    const both = operator('dead-letters', 'resend', '--sandbox', OTHER)
    await expect.poll(marked).toHaveLength(2)
    await operator('dead-letters', 'delete', 'dlt_c')
    await test.database.run(sql`delete from dead_letters where id = 'dlt_d'`)
    expect((await both).split('\n').sort()).toEqual(['dlt_c\tdeleted', 'dlt_d\tstored'])
    await addLetter('dlt_e', OTHER, 'fifth')
    const last = operator('dead-letters', 'resend', 'dlt_e')
    await expect.poll(marked).toHaveLength(1)
    await test.database.run(sql`delete from sandboxes where id = ${OTHER}`)
    expect(await last).toBe('dlt_e\tdeleted')
  })

  it('[MQT-13] are deleted by their id', async () => {
    expect(await operator('dead-letters', 'delete', 'dlt_b')).toBe('')
    await expect(operator('dead-letters', 'delete', 'dlt_b')).rejects.toThrow('not found')
    expect(await operator('dead-letters')).toBe('')
  })
})
