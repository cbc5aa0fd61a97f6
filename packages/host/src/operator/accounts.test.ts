import { sql } from '@storey/kit/database'
import { type TestDatabase, testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runOperator } from './run-operator.ts'

let folder: string
let test: TestDatabase
let [first, second] = ['', '']

beforeAll(async () => {
  folder = temporaryFolder('storey-accounts')
  test = await testDatabase({ migrations: [] })
  first = await operator('org', 'create', 'First')
  second = await operator('org', 'create', 'Second')
})
afterAll(() => test.drop())

const operator = (...args: string[]) =>
  runOperator(args, { DATABASE_URL: test.url, MASTER_SECRET: 'x'.repeat(40), DATA_DIR: folder })
const invite = async (email: string, organizationId = first) =>
  (await operator('account', 'invite', email, '--org', organizationId)).split('\t')
const run = (statement: ReturnType<typeof sql>) => test.database.run(statement)

describe('an invitation of the operator', () => {
  it('[HST-19] is completed by the next invitation if the command was killed before the account was created', async () => {
    const [id] = await invite('ann@example.com')
    await run(sql`delete from identity_accounts where id = ${id!}`)
    await expect(operator('session', 'ann@example.com')).rejects.toThrow('not found')
    const [again, email, organizationId, password] = await invite('Ann@example.com')
    expect([again, email, organizationId]).toEqual([id, 'ann@example.com', first])
    expect(password).toMatch(/^[a-z0-9-]{19}$/)
    expect(await operator('session', 'ann@example.com')).toMatch(/^ey/)
  })

  it('[HST-19] prints another password when it is repeated, because the first command may have been killed before it printed one', async () => {
    const [id, , , lost] = await invite('bob@example.com')
    const [again, , , password] = await invite('bob@example.com')
    expect(again).toBe(id)
    expect(password).toMatch(/^[a-z0-9-]{19}$/)
    expect(password).not.toBe(lost)
  })

  it('[HST-19] is refused for an account that is in use, disabled, or of another organization', async () => {
    const refused = 'cat@example.com has an account already'
    const [id] = await invite('cat@example.com')
    await expect(invite('cat@example.com', second)).rejects.toThrow(refused)
    await operator('account', 'disable', 'cat@example.com')
    await expect(invite('cat@example.com')).rejects.toThrow(refused)
    await operator('account', 'enable', 'cat@example.com')
    await run(sql`update identity_accounts set password_is_one_time = false where id = ${id!}`)
    await expect(invite('cat@example.com')).rejects.toThrow(refused)
  })
})
