import { keyText } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { api, newDeveloper, newSandbox, operator, operatorCommand } from '../system/shared.ts'

const path = '/api/v1/sandboxes'

describe('the operator', () => {
  it('[HST-18, HST-19, HST-21, ERR-04] creates an organization, a developer and a working key', async () => {
    const organizationId = await operatorCommand('org', 'create', 'Acme')
    expect(organizationId).toMatch(/^org_[a-z0-9]+$/)
    expect(await operatorCommand('account', 'invite', 'Ann@Acme.example', '--org', organizationId)).toContain(
      'ann@acme.example',
    )
    const key = await operatorCommand('key', 'mint', '--org', organizationId, '--scope', 'sandbox')
    expect(key).toMatch(/^svc_[0-9A-Za-z]{46}$/)
    expect((await api(key, path)).json.total).toBe(0)
  })

  it('[HST-22] creates a key for the oldest developer if no account is given', async () => {
    const { organizationId, key, email } = await newDeveloper()
    const { record } = await newSandbox(key)
    await operator('account', 'invite', `younger-${email}`, '--org', organizationId)
    const unnamed = await operator('key', 'mint', '--org', organizationId)
    expect((await api(unnamed, `${path}/${record.sandboxId}`)).status).toBe(200)
    const younger = await operator('key', 'mint', '--org', organizationId, '--account', `younger-${email}`)
    expect((await api(younger, `${path}/${record.sandboxId}`)).status).toBe(404)
  })

  it('[HST-23] creates keys that never expire', async () => {
    const { organizationId } = await newDeveloper()
    const key = await operator('key', 'mint', '--org', organizationId, '--no-expiry')
    expect((await api(key, path)).status).toBe(200)
  })

  it('[HST-20] prints a portal session token that works', async () => {
    const { email } = await newDeveloper()
    const session = await operator('session', email)
    expect((await api(session, '/api/v1/keys', { body: { label: 'from a session' } })).status).toBe(201)
    await expect(operator('session', 'nobody@example.com')).rejects.toThrow('Developer nobody@example.com not found')
  })

  it('[AUD-06] sees the uses of unknown keys', async () => {
    const { key } = await newDeveloper()
    const unknown = keyText('0'.repeat(40))
    expect((await api(unknown, path)).status).toBe(401)
    await expect.poll(() => operator('audit')).toMatch(/key\.used\tdenied/)
    expect(await operator('audit')).not.toContain(unknown)
    expect((await api(key, path)).status).toBe(200)
  })

  it('[HST-85] sees control characters of a client as escapes', async () => {
    const headers = { 'user-agent': 'c1\u009b31m' }
    // Repeated denials of one route from one address become one row, which has only the last user agent. So this test
    // calls another route than the other tests.
    const elsewhere = { method: 'DELETE', headers }
    expect((await api(keyText('1'.repeat(40)), '/api/v1/keys/key_0000000000000000', elsewhere)).status).toBe(401)
    await expect.poll(() => operator('audit', '--json')).toContain('c1\\u009b31m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be printed
    for (const form of [[], ['--json']]) expect(await operator('audit', ...form)).not.toMatch(/[\u0080-\u009f\u001b]/)
  })

  it('[HST-24] lists the sandboxes of all owners', async () => {
    const records = []
    for (const { key } of [await newDeveloper(), await newDeveloper()]) records.push((await newSandbox(key)).record)
    const list = await operator('sandbox', 'list')
    for (const { sandboxId, slug } of records) expect(list).toMatch(new RegExp(`^${sandboxId}\t${slug}\tready`, 'm'))
    // The newest comes first. Other test files create sandboxes at the same time.
    const [older, newer] = records.map(({ sandboxId }) => list.indexOf(sandboxId)) as [number, number]
    expect(newer).toBeLessThan(older)
    const newest = await operator('sandbox', 'list', '--limit', '1')
    expect(newest.split('\n')).toEqual([expect.stringMatching(/^sbx_/)])
    const { organizationId } = await newDeveloper()
    expect(await operator('sandbox', 'list', '--org', organizationId)).toBe('')
  })

  it('[HST-34] reports that no sandbox needs a migration', async () => {
    expect(await operator('migrate', '--check')).toBe('')
    expect(await operator('migrate')).toBe('')
  })

  it.each([
    [[], 64, 'unknown command: (none)\n\nUsage: '],
    [['sandbox', 'restore', 'sbx_nobody', '--json'], 1, '{"error":{"code":"NOT_FOUND","message":"No such sandbox'],
  ])('ends the command line %j with code %d and an explanation', async (args, code, text) => {
    const failed = await operatorCommand(...args).catch((err) => err)
    expect([failed.code, failed.stdout]).toEqual([code, ''])
    expect(failed.stderr).toContain(text)
  })

  it.each([
    [['org', 'create'], 64, 'a name is missing'],
    [['key', 'mint'], 64, '--org is missing'],
    [['key', 'mint', '--org', 'org_demo', '--scope', 'all'], 64, '--scope must be one of sandbox, publish, full'],
    [['key', 'mint', '--org', 'org_nowhere'], 1, 'No such organization'],
    [['sandbox', 'restore'], 64, 'the id or slug of a sandbox is missing'],
    [['sandbox', 'restore', 'sbx_nobody', '--days', '99'], 64, '--days must be a number from 1 to 30'],
    [['sandbox', 'restore', 'sbx_nobody'], 1, 'No such sandbox'],
    [['leftovers', 'drop', 'sbx_nobody'], 1, 'No such leftover'],
    [['account', 'invite', 'nobody', '--org', 'org_demo'], 1, 'email must be an address'],
    [['account', 'invite', 'developer@example.com', '--org', 'org_demo'], 1, 'has an account already'],
  ])('refuses %j with an explanation', async (args, code, sentence) => {
    const failed = await operator(...args).catch((err) => err)
    expect(failed.code).toBe(code)
    expect(failed.stderr).toContain(sentence)
    expect(failed.stdout).toBe('')
  })
})
