import { type Queryable, sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertOperation, revokeKeyByOperator } from '../../operator.ts'
import { type KeyService, testKeyService } from '../../testing/key-service.ts'
import {
  deleteByOperator,
  deleteRequest,
  disableAccount,
  enableAccount,
  extendByOperator,
  findAnswer,
  insertRequest,
  listOperations,
  type OperatorDeps,
  type OperatorRequest,
  restoreByOperator,
  resumeSandbox,
  suspendSandbox,
} from './index.ts'

const DAY_MS = 86_400_000
const SECOND_MS = 1_000

let service: KeyService
let deps: OperatorDeps
beforeAll(async () => {
  service = await testKeyService()
  deps = { control: service.control, operator: 'ann@machine' }
})
afterAll(() => service.drop())

async function newSandbox(given?: string) {
  const key = given ?? (await service.newKey())
  const { sandboxId, slug } = await service.create(key)
  await service.waitWhileProvisioning(key, sandboxId)
  return { key, sandboxId, slug, at: (path: string) => service.call({ host: `${slug}.localhost`, path }) }
}

/** Inserts the request, and returns the answer of the running service. */
async function ask(request: OperatorRequest): Promise<unknown> {
  const id = await insertRequest(service.control, request)
  await expect.poll(() => findAnswer(service.control, id)).toBeDefined()
  const answer = await findAnswer(service.control, id)
  await deleteRequest(service.control, id)
  return answer
}

const commandsOn = async (subject: string) =>
  (await listOperations(service.control, 500)).filter((row) => row.subject === subject).map((row) => row.command)

describe('an operator command on a sandbox', () => {
  it('[OPR-01] stops the stack, which the next call starts again', async () => {
    const { sandboxId, at } = await newSandbox()
    expect((await at('/')).status).toBe(200)
    expect(await ask({ kind: 'list_stacks' })).toContainEqual(
      expect.objectContaining({
        ...{ sandboxId, state: 'running', uses: 0, crashes: 0, pid: expect.any(Number) },
        ...{ maxConnections: 6, lastUsedAt: null, runsSince: expect.stringMatching(/Z$/) },
      }),
    )
    expect(await ask({ kind: 'stop_stack', sandboxId })).toEqual({ wasRunning: true })
    expect(service.runtime.status(sandboxId)).toBe('stopped')
    expect(await ask({ kind: 'stop_stack', sandboxId })).toEqual({ wasRunning: false })
    expect((await at('/')).status).toBe(200)
  })

  it('[OPR-02] keeps a suspended sandbox closed until it is resumed', async () => {
    const { key, sandboxId, slug, at } = await newSandbox()
    expect((await at('/')).status).toBe(200)
    const { isChanged } = await suspendSandbox(deps, slug, 'unpaid bill')
    expect(isChanged).toBe(true)
    await expect.poll(() => service.runtime.status(sandboxId)).toBe('stopped')
    for (const path of ['/', '/api/v1/buildings', '/api/v1/people']) {
      const { status, json, headers } = await at(path)
      expect([status, json.code, json.detail, headers['retry-after']]).toEqual([
        403,
        'SANDBOX_SUSPENDED',
        'The operator has suspended this sandbox: unpaid bill',
        undefined,
      ])
    }
    expect((await at('/healthz')).status).toBe(200)
    const path = `/api/v1/sandboxes/${sandboxId}`
    expect((await service.call({ key, path })).json.suspension).toEqual({
      since: expect.stringMatching(/Z$/),
      reason: 'unpaid bill',
    })
    for (const [method, action] of [
      ['GET', 'connection'],
      ['POST', 'reset'],
    ] as const) {
      const { status, json } = await service.call({ key, path: `${path}/${action}`, method })
      expect([action, status, json.code]).toEqual([action, 403, 'SANDBOX_SUSPENDED'])
    }
    expect((await suspendSandbox(deps, sandboxId, null)).isChanged).toBe(false)

    expect((await resumeSandbox(deps, sandboxId)).isChanged).toBe(true)
    await expect.poll(async () => (await at('/')).status).toBe(200)
    expect((await service.call({ key, path })).json.suspension).toBeUndefined()
    expect((await resumeSandbox(deps, sandboxId)).isChanged).toBe(false)
    expect(await commandsOn(sandboxId)).toEqual(['sandbox resume', 'sandbox suspend'])
  })

  it('[OPR-02] lets no due work wake a suspended sandbox', async () => {
    const { sandboxId } = await newSandbox()
    await suspendSandbox(deps, sandboxId, null)
    const due = sql`update sandboxes set due_at = now() - interval '1 minute' where id = ${sandboxId}`
    await service.control.run(due)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(service.runtime.status(sandboxId)).toBe('stopped')
    await resumeSandbox(deps, sandboxId)
    await expect.poll(() => service.runtime.status(sandboxId)).toBe('running')
  })

  it('[OPR-03] moves the expiry without using up an extension', async () => {
    const { key, sandboxId, slug } = await newSandbox()
    const read = async () => (await service.call({ key, path: `/api/v1/sandboxes/${sandboxId}` })).json
    const before = await read()
    const expiry = new Date(before.expiresAt).getTime()
    await extendByOperator(deps, slug, { days: 100 })
    const until = new Date(expiry + 200 * DAY_MS)
    expect(await read()).toMatchObject({
      expiresAt: new Date(expiry + 100 * DAY_MS).toISOString(),
      extensionsRemaining: before.extensionsRemaining,
    })
    expect((await extendByOperator(deps, sandboxId, { until })).isChanged).toBe(true)
    expect((await extendByOperator(deps, sandboxId, { until })).isChanged).toBe(false)
    await expect(extendByOperator(deps, sandboxId, { until: new Date(expiry) })).rejects.toThrow('must be later')
    await expect(extendByOperator(deps, 'nowhere', { days: 1 })).rejects.toThrow('No such sandbox: nowhere')
    expect(await commandsOn(sandboxId)).toEqual(['sandbox extend', 'sandbox extend'])
  })

  it('[OPR-04] removes an expired sandbox that could still be restored', async () => {
    const { key, sandboxId, slug, at } = await newSandbox()
    await service.control.run(sql`update sandboxes set expires_at = ${service.clock.now()} where id = ${sandboxId}`)
    await expect.poll(async () => (await at('/')).status).toBe(404)
    await expect(extendByOperator(deps, slug, { days: 1 })).rejects.toThrow('use sandbox restore')
    expect((await restoreByOperator(deps, slug, 3)).id).toBe(sandboxId)
    await expect.poll(async () => (await at('/')).status).toBe(200)
    await service.control.run(sql`update sandboxes set expires_at = ${service.clock.now()} where id = ${sandboxId}`)
    await expect.poll(async () => (await at('/')).status).toBe(404)
    await deleteByOperator(deps, slug)
    const isGone = async () => (await traces(service.control, sandboxId)) === 0
    await expect.poll(isGone).toBe(true)
    expect((await service.call({ key, path: `/api/v1/sandboxes/${sandboxId}` })).status).toBe(404)
    await expect(deleteByOperator(deps, slug)).rejects.toThrow(`No such sandbox: ${slug}`)
    expect(await commandsOn(sandboxId)).toEqual(['sandbox delete', 'sandbox restore'])
  })

  it('[OPR-04] deletes a sandbox while the service is stopped, and the next start removes its traces', async () => {
    const { sandboxId } = await newSandbox()
    await service.stop()
    await deleteByOperator(deps, sandboxId)
    expect(await traces(service.control, sandboxId)).toBeGreaterThan(0)
    await service.start()
    await expect.poll(() => traces(service.control, sandboxId)).toBe(0)
  })
})

/** How many rows, databases and roles are left of a sandbox. */
async function traces(control: Queryable, sandboxId: string): Promise<number> {
  const row = await control.row<{ count: number }>(sql`select
    (select count(*) from sandboxes where id = ${sandboxId}) +
    (select count(*) from pg_database where datname like ${`%${sandboxId}`}) +
    (select count(*) from pg_roles where rolname like ${`%${sandboxId}`}) as count`)
  return row!.count
}

describe('an operator command that disables an account', () => {
  async function newAccount() {
    const organizationId = await service.newOrganization()
    const email = `dev@${organizationId.slice(4)}.example`
    const { plaintext: key } = await service.operatorKey(organizationId, 'sandbox')
    const row = await service.control.row<{ id: string }>(sql`select id from developers where email = ${email}`)
    const session = () => service.portal(organizationId, { sub: row!.id, email })
    return { id: row!.id, email, organizationId, key, session }
  }
  const statusOf = async (key: string) => (await service.call({ key, path: '/api/v1/sandboxes' })).status

  it('[OPR-05] makes the sessions, issued tokens and keys of the account invalid, and suspends its sandboxes', async () => {
    const { id, email, organizationId, key, session } = await newAccount()
    const { at, slug, sandboxId } = await newSandbox(key)
    const token = await session()
    expect([await statusOf(key), await statusOf(token), (await at('/')).status]).toEqual([200, 200, 200])
    const disabled = await disableAccount(deps, ` ${email.toUpperCase()} `)
    expect(disabled).toMatchObject({ isChanged: true, sandboxes: [{ id: sandboxId, slug }], openSandboxes: 0 })
    for (const credential of [key, token, await session()]) {
      const { status, json } = await service.call({ key: credential, path: '/api/v1/sandboxes' })
      expect([status, json.code]).toEqual([401, 'UNAUTHENTICATED'])
      expect(json.detail).toContain('is disabled')
    }
    await expect.poll(async () => (await at('/')).status).toBe(403)
    await expect.poll(async () => (await service.rows(organizationId))[0]?.reason).toBe('account_disabled')
    expect((await disableAccount(deps, id)).isChanged).toBe(false)

    expect(await enableAccount(deps, email)).toMatchObject({ isChanged: true, openSandboxes: 1 })
    await expect.poll(async () => (await at('/')).status).toBe(200)
    expect(await statusOf(key)).toBe(200)
    expect(await statusOf(token), 'a token that was issued before').toBe(401)
    expect((await enableAccount(deps, email)).isChanged).toBe(false)
    expect(await commandsOn(id)).toEqual(['account enable', 'account disable'])
  })

  it('[OPR-05] does not affect tokens that are issued after the account was enabled again', async () => {
    const { id, email, session } = await newAccount()
    await disableAccount(deps, id)
    await enableAccount(deps, email)
    await expect.poll(async () => statusOf(await session()), { timeout: 3 * SECOND_MS }).toBe(200)
  })

  it('[OPR-05] suspends no sandbox with `keepSandboxes`; enabling resumes none that was suspended before the account was disabled', async () => {
    const { email, key } = await newAccount()
    const open = await newSandbox(key)
    const closed = await newSandbox(key)
    await suspendSandbox(deps, closed.slug, 'abuse')
    expect(await disableAccount(deps, email, { keepSandboxes: true })).toMatchObject({
      sandboxes: [],
      openSandboxes: 1,
    })
    expect((await open.at('/')).status).toBe(200)
    expect((await disableAccount(deps, email)).sandboxes.map(({ slug }) => slug)).toEqual([open.slug])
    expect((await enableAccount(deps, email)).sandboxes.map(({ slug }) => slug)).toEqual([open.slug])
    await expect.poll(async () => (await closed.at('/')).json?.detail).toContain('abuse')
  })

  it('[OPR-05] can be undone, but a sandbox stays suspended if `sandbox suspend` was run on it meanwhile', async () => {
    const { email, key } = await newAccount()
    const { slug } = await newSandbox(key)
    await disableAccount(deps, email)
    const suspend = () => suspendSandbox(deps, slug, null)
    expect((await suspend()).isChanged).toBe(true)
    expect((await suspend()).isChanged).toBe(false)
    expect((await enableAccount(deps, email)).sandboxes).toEqual([])
    expect((await resumeSandbox(deps, slug)).isChanged).toBe(true)
  })

  it('[OPR-05] can be undone, which is recorded even if only the sandboxes have to be resumed', async () => {
    const { id, email, key } = await newAccount()
    const { sandboxId } = await newSandbox(key)
    await disableAccount(deps, email)
    await service.control.run(sql`update developers set disabled_at = null where id = ${id}`)
    expect(await enableAccount(deps, email)).toMatchObject({ isChanged: true, sandboxes: [{ id: sandboxId }] })
    expect(await commandsOn(id)).toEqual(['account enable', 'account disable'])
  })

  it('[OPR-05] leaves every sandbox suspended, even one created by a request that was authenticated before the command', async () => {
    const { email, key } = await newAccount()
    const creates = Array.from({ length: 3 }, () =>
      service.call({ key, path: '/api/v1/sandboxes', body: { name: 'Late' } }),
    )
    const { developer } = await disableAccount(deps, email)
    await Promise.all(creates)
    const left = await service.control.row<{ count: number }>(
      sql`select count(*) as count from sandboxes where developer_id = ${developer.id} and suspended_at is null`,
    )
    expect(left!.count).toBe(0)
  })
})

describe('an operator command that revokes a key', () => {
  const revoke = (name: string) =>
    revokeKeyByOperator({ control: service.control, clock: service.clock }, name, (tx, { id }) =>
      insertOperation(tx, deps.operator, { command: 'key revoke', subject: id }),
    )

  it('[OPR-06, AUD-03] accepts the id of the key, the beginning of the id, or the text of the key', async () => {
    const organizationId = await service.newOrganization()
    const names = [
      (key: { id: string }) => key.id,
      (key: { id: string }) => key.id.slice(0, 14),
      (_: unknown, plaintext: string) => plaintext,
    ]
    for (const nameOf of names) {
      const { key, plaintext } = await service.operatorKey(organizationId, 'sandbox')
      expect((await revoke(nameOf(key, plaintext))).isChanged).toBe(true)
      const { status, json } = await service.call({ key: plaintext, path: '/api/v1/sandboxes' })
      expect([status, json.code]).toEqual([401, 'KEY_REVOKED'])
      expect((await revoke(nameOf(key, plaintext))).isChanged).toBe(false)
      expect(await commandsOn(key.id)).toEqual(['key revoke'])
      const rows = await service.rows(organizationId)
      const revoked = rows.filter(({ keyId, action }) => keyId === key.id && action === 'key.revoked')
      expect(revoked).toEqual([expect.objectContaining({ actor: 'operator', outcome: 'allowed' })])
    }
  })

  it('[OPR-06] refuses a name that is too short or fits several keys, and does not repeat the text of a key in the error', async () => {
    await expect(revoke('key_')).rejects.toThrow('key_ is too short')
    const organizationId = await service.newOrganization()
    for (const id of ['key_twins0001', 'key_twins0002']) {
      await service.control.run(sql`insert into api_keys (id, organization_id, developer_id, label, scope, hash,
          operator_minted, created_at)
        select ${id}, ${organizationId}, id, 'twin', 'sandbox', sha256(${Buffer.from(id)}), true, now()
        from developers where organization_id = ${organizationId}`)
    }
    await expect(revoke('key_twins000')).rejects.toThrow('Several keys start with key_twins000')
    await expect(revoke('key_nobody0000')).rejects.toThrow('No such key: key_nobody0000')
    const failed: Error = await revoke('svc_0000').catch((err) => err)
    expect(failed.message).toContain('give its id')
    expect(failed.message).not.toContain('svc_0000')
  })
})

describe('the audit log of the operator', () => {
  it('[OPR-07] names who ran a command, and cannot be changed', async () => {
    const { sandboxId } = await newSandbox()
    await suspendSandbox(deps, sandboxId, 'for a moment')
    const [row] = (await listOperations(service.control, 500)).filter(({ subject }) => subject === sandboxId)
    expect(row).toMatchObject({
      operator: 'ann@machine',
      command: 'sandbox suspend',
      details: { reason: 'for a moment' },
      at: expect.any(Date),
    })
    await expect(service.control.run(sql`delete from operator_audit`)).rejects.toThrow('append-only')
  })

  it('[OPR-07] has no row for a command that failed', async () => {
    const { sandboxId } = await newSandbox()
    await expect(restoreByOperator(deps, sandboxId)).rejects.toThrow('is not expired')
    expect(await commandsOn(sandboxId)).toEqual([])
  })
})
