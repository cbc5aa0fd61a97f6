import { Agent } from 'node:http'
import * as oauth from 'openid-client'
import { io } from 'socket.io-client'
import { describe, expect, it } from 'vitest'
import { Browser } from '../../packages/identity/src/testing/browser.ts'
import { discover, startCodeFlow } from '../../packages/identity/src/testing/oauth.ts'
import { approve, PASSWORD } from '../cli/approve.ts'
import { call } from '../system/call.ts'
import { requestCode, toolClient } from '../system/device-login.ts'
import { api, newDeveloper, newSandbox, operator, systemUrl } from '../system/shared.ts'

const json = async (...args: string[]) => JSON.parse(await operator(...args, '--json'))

async function openSandbox() {
  const developer = await newDeveloper()
  const { record, connection } = await newSandbox(developer.key)
  const buildings = () => call(`${connection.apiUrl}/api/v1/buildings`, { token: connection.token })
  expect((await buildings()).status).toBe(200)
  return { ...developer, id: record.sandboxId as string, slug: record.slug as string, connection, buildings }
}

const stackOf = async (id: string) =>
  (await json('stack', 'list')).stacks.find(({ sandboxId }: { sandboxId: string }) => sandboxId === id)

describe('operator commands on a running system', () => {
  it('[OPR-01] list stacks with memory, connections and last use, and stop one', async () => {
    const { id, slug, buildings } = await openSandbox()
    expect(await operator('stack', 'list')).toMatch(
      new RegExp(
        `^${id}\t${slug}\trunning\t\\d+ MB\t\\d of 6 database connections\tnot in use\tlast used \\d{4}-`,
        'm',
      ),
    )
    const stack = await stackOf(id)
    expect(stack.memoryBytes).toBeGreaterThan(20_000_000)
    expect(stack.connections).toBeGreaterThan(0)
    expect(await operator('sandbox', 'stop', slug)).toBe(
      `Stopped the stack of ${slug} (${id}). The next call starts it.`,
    )
    expect(await stackOf(id)).toBeUndefined()
    expect(await json('sandbox', 'stop', id)).toEqual({ id, slug, wasRunning: false })
    expect((await buildings()).status).toBe(200)
    expect((await stackOf(id)).pid).not.toBe(stack.pid)
  })

  it('[OPR-02] suspend a sandbox, which ends its live connections, and resume it', async () => {
    const { id, slug, key, connection, buildings } = await openSandbox()
    const agent = new Agent({
      lookup: (_name, { all }, found) =>
        all ? found(null, [{ address: '127.0.0.1', family: 4 }]) : found(null, '127.0.0.1', 4),
    })
    const options = { reconnection: false, transports: ['websocket'], auth: { token: connection.token } }
    const socket = io(`${connection.apiUrl}/buildings`, { ...options, agent: agent as never })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('connect_error', reject)
    })
    const closed = new Promise((resolve) => socket.once('disconnect', resolve))
    await operator('sandbox', 'suspend', slug, '--reason', 'unpaid bill')
    await closed
    expect(await operator('sandbox', 'list')).toMatch(new RegExp(`^${id}\t${slug}\tsuspended`, 'm'))
    const { status, json: problem } = await buildings()
    expect([status, problem.code]).toEqual([403, 'SANDBOX_SUSPENDED'])
    expect((await api(key, `/api/v1/sandboxes/${id}`)).json.suspension.reason).toBe('unpaid bill')
    const refused = new Promise((resolve) => socket.once('connect_error', resolve))
    socket.connect()
    await refused
    await operator('sandbox', 'resume', slug)
    // The gateway caches the row of a sandbox for a second.
    await expect.poll(async () => (await buildings()).status).toBe(200)
  })

  it('[OPR-03, OPR-04] extend a sandbox, and delete it with --yes', async () => {
    const { id, slug, key } = await openSandbox()
    const until = new Date(Date.now() + 100 * 86_400_000).toISOString()
    expect(await json('sandbox', 'extend', slug, '--until', until)).toMatchObject({ expiresAt: until, isChanged: true })
    expect((await api(key, `/api/v1/sandboxes/${id}`)).json.expiresAt).toBe(until)
    expect(await operator('sandbox', 'delete', slug, '--yes')).toBe(`Deleted ${slug} (${id}) and all its data.`)
    expect((await api(key, `/api/v1/sandboxes/${id}`)).status).toBe(404)
  })

  it('[OPR-05] disable an account and keep its sandboxes: the tokens of the account are refused there, even after it is enabled again', async () => {
    const { id, slug, key, email, connection } = await openSandbox()
    const { url } = (await api(key, `/api/v1/sandboxes/${id}/console-session`, { method: 'POST' })).json
    const browser = new Browser(systemUrl)
    await browser.open(url)
    const config = await discover(`${systemUrl}/realms/sandboxes`, `shell-${slug}`)
    const flow = await startCodeFlow({ config, redirectUri: `${connection.apiUrl}/callback` })
    const { access_token } = await flow.redeem((await browser.open(flow.url)).url)
    const as = async (token: string) =>
      await Promise.all(
        ['buildings', 'accounts'].map(
          async (list) => (await call(`${connection.apiUrl}/api/v1/${list}`, { token })).status,
        ),
      )
    expect(await as(access_token)).toEqual([200, 200])
    await operator('account', 'disable', email, '--keep-sandboxes')
    expect(await as(access_token)).toEqual([401, 401])
    expect((await as(connection.token))[0]).toBe(200)
    await operator('account', 'enable', email)
    expect(await as(access_token)).toEqual([401, 401])
  })

  it('[OPR-05] disable an account: its browser session, its refresh tokens and its sign-in are refused', async () => {
    const developer = await newDeveloper()
    const { email, key } = developer
    const config = await toolClient()
    const device = () => requestCode(config)
    const first = await device()
    await approve(first.verification_uri_complete!, developer, true)
    const tokens = await oauth.pollDeviceAuthorizationGrant(config, first)
    expect((await api(tokens.access_token, '/api/v1/sandboxes')).status).toBe(200)

    expect(await operator('account', 'disable', email)).toContain(`Disabled ${email}`)
    expect((await api(tokens.access_token, '/api/v1/sandboxes')).status).toBe(401)
    expect((await api(key, '/api/v1/sandboxes')).status).toBe(401)
    await expect(oauth.refreshTokenGrant(config, tokens.refresh_token!)).rejects.toThrow()
    await expect(operator('session', email)).rejects.toThrow('is disabled')
    const second = await device()
    const browser = new Browser(systemUrl)
    const confirm = await browser.submit(await browser.open(second.verification_uri_complete!))
    const signIn = await browser.submit(confirm, { confirm: 'yes' })
    const page = await browser.submit(signIn, { email, password: PASSWORD })
    expect(page.status).toBe(403)
    expect(page.text).toContain('This account is disabled')
    const wrong = await browser.submit(signIn, { email, password: 'a wrong password' })
    expect(wrong.text, 'only those who know the password learn that the account is disabled').not.toContain('disabled')

    expect(await operator('account', 'enable', email)).toContain(`Enabled ${email}`)
    const third = await device()
    await approve(third.verification_uri_complete!, developer, false)
    const renewed = await oauth.pollDeviceAuthorizationGrant(config, third)
    expect((await api(renewed.access_token, '/api/v1/sandboxes')).status).toBe(200)
    expect((await api(key, '/api/v1/sandboxes')).status).toBe(200)
  })

  it('[OPR-06] revoke a key', async () => {
    const { key, organizationId } = await newDeveloper()
    const { keyId } = await json('key', 'mint', '--org', organizationId, '--label', 'leaked')
    expect(await operator('key', 'revoke', keyId)).toBe(`Revoked ${keyId} (leaked) of ${organizationId}.`)
    expect(await json('key', 'revoke', keyId)).toMatchObject({ keyId, isChanged: false })
    expect(await operator('key', 'revoke', key)).not.toContain(key)
    expect((await api(key, '/api/v1/sandboxes')).json.code).toBe('KEY_REVOKED')
  })

  it('[OPR-07] add a row to the audit log, with the name of who ran them', async () => {
    const id = await operator('org', 'create', 'Audited')
    const rows: { subject: string; command: string; operator: string }[] = await json('audit', '--operator')
    const row = rows.find(({ subject }) => subject === id)
    expect(row?.command).toBe('org create')
    expect(row?.operator).toMatch(/^.+@.+$/)
    expect(await operator('audit', '--operator', '--limit', '500')).toContain(`\torg create\t${id}\t`)
  })

  it.each([
    [['sandbox', 'suspend'], 64, 'the id or slug of a sandbox is missing'],
    [['sandbox', 'suspend', 'sbx_nobody'], 1, 'No such sandbox: sbx_nobody'],
    [['sandbox', 'suspend', 'x', '--reason', ' '], 64, '--reason must have 1 to 200 characters'],
    [['sandbox', 'stop', 'a', 'b'], 64, 'unexpected argument of sandbox stop: b'],
    [['sandbox', 'stop', 'a', '--yes'], 64, 'sandbox stop has no option --yes'],
    [['sandbox', 'delete', 'a'], 64, '--yes is missing'],
    [['sandbox', 'extend', 'a'], 64, 'give either --days or --until'],
    [['sandbox', 'extend', 'a', '--days', '1e2'], 64, '--days must be a number from 1 to 365, not 1e2'],
    [['sandbox', 'extend', 'a', '--until', 'tomorrow'], 64, 'not tomorrow'],
    [['sandbox', 'fly', 'a'], 64, 'unknown command: sandbox fly a'],
    [['account', 'disable', 'nobody@example.com'], 1, 'No such developer: nobody@example.com'],
    [['key', 'revoke', 'key_nobody0000'], 1, 'No such key: key_nobody0000'],
    [['audit', '--operator', '--org', 'org_demo'], 64, 'give either --org or --operator'],
  ])('[OPR-08] refuse %j with code %d and an explanation', async (args, code, sentence) => {
    const failed = await operator(...args).catch((err) => err)
    expect([failed.code, failed.stdout]).toEqual([code, ''])
    expect(failed.stderr).toContain(sentence)
  })

  it.each([
    [['sandbox', 'stop', 'a', 'b'], 64, { code: 'USAGE', message: 'unexpected argument of sandbox stop: b' }],
    [['sandbox', 'stop', 'nowhere'], 1, { code: 'NOT_FOUND', message: 'No such sandbox: nowhere' }],
  ])('[OPR-08] refuse %j as JSON', async (args, code, error) => {
    const failed = await operator(...args, '--json').catch((err) => err)
    expect([failed.code, failed.stdout]).toEqual([code, ''])
    expect(JSON.parse(failed.stderr)).toEqual({ error })
  })
})
