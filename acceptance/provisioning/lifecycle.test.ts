import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { SMALL } from '../system/actors.ts'
import { call } from '../system/call.ts'
import { api, newDeveloper, newSandbox, operator, waitWhileProvisioning } from '../system/shared.ts'

const path = '/api/v1/sandboxes'
const DAY_MS = 86_400_000

describe('reading sandboxes', () => {
  it('[SBX-29, SBX-30, ERR-07, ERR-08, ERR-10] lists the caller’s own sandboxes, newest first, in pages', async () => {
    const { key } = await newDeveloper()
    const ids = []
    for (const name of ['First', 'Second', 'Third']) ids.push((await newSandbox(key, { name })).record.sandboxId)
    const all = await api(key, path)
    expect(all.json).toMatchObject({ total: 3, limit: 50, offset: 0 })
    expect(all.json.data.map((row: { sandboxId: string }) => row.sandboxId)).toEqual(ids.reverse())
    const page = await api(key, `${path}?limit=1&offset=1`)
    expect(page.json).toMatchObject({ total: 3, limit: 1, offset: 1, data: [{ sandboxId: ids[1] }] })
    expect((await api(key, `${path}?limit=201`)).json).toMatchObject({ status: 400, code: 'LIMIT_TOO_LARGE' })
    expect((await api(key, `${path}?limit=0`)).json).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    const unknown = await api(key, `${path}?updatedSince=2026-01-01`)
    expect(unknown.json).toMatchObject({ status: 400, errors: [{ pointer: '/updatedSince' }] })
  })

  it('[SBX-31, SBX-32, ERR-16] never shows sandboxes of other developers, on any route, even in the same organization', async () => {
    const owner = await newDeveloper()
    const { record } = await newSandbox(owner.key)
    await operator('account', 'invite', `second-${owner.email}`, '--org', owner.organizationId)
    const mint = ['key', 'mint', '--org', owner.organizationId, '--account', `second-${owner.email}`, '--scope', 'full']
    const colleague = await operator(...mint)
    const otherDeveloper = (await newDeveloper()).key
    for (const key of [colleague, otherDeveloper]) {
      expect((await api(key, path)).json.total).toBe(0)
      const calls = [
        api(key, `${path}/${record.sandboxId}`),
        api(key, `${path}/${record.sandboxId}/connection`),
        api(key, `${path}/${record.sandboxId}/extend`, { body: { days: 1 } }),
        api(key, `${path}/${record.sandboxId}/reset`, { method: 'POST' }),
        api(key, `${path}/${record.sandboxId}`, { method: 'DELETE' }),
      ]
      for (const answer of await Promise.all(calls))
        expect(answer.json).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    }
    const second = await operator('key', 'mint', '--org', owner.organizationId, '--scope', 'sandbox')
    expect((await api(second, `${path}/${record.sandboxId}`)).json.status).toBe('ready')
  })
})

describe('connecting', () => {
  it('[SBX-52, SBX-53, SBX-54] returns the addresses and a token whose audience is the sandbox', async () => {
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key)
    expect(connection).toMatchObject({
      apiUrl: record.apiUrl,
      consoleUrl: record.apiUrl,
      organizationId: record.organizationId,
      siteId: record.siteId,
      buildingId: record.buildingId,
      mqtt: null,
    })
    const claims = decodeJwt(connection.token)
    expect(claims).toMatchObject({ aud: record.sandboxId, tenant_id: record.organizationId })
    expect(claims.exp).toBe(Math.floor(Date.parse(record.expiresAt) / 1000))
    const listed = await call(`${connection.apiUrl}/api/v1/buildings`, { token: connection.token })
    expect(listed.json.data[0].id).toBe(record.buildingId)
  })

  it('the provisioning service refuses a sandbox’s token', async () => {
    const { key } = await newDeveloper()
    const { connection } = await newSandbox(key)
    expect((await api(connection.token, path)).json).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  })
})

describe('extending', () => {
  let key: string
  let sandbox: { sandboxId: string; expiresAt: string }
  const extend = (body: unknown) => api(key, `${path}/${sandbox.sandboxId}/extend`, { body })
  beforeAll(async () => {
    key = (await newDeveloper()).key
    sandbox = (await newSandbox(key, { ttlDays: 1 })).record
  })

  it.each([{}, { days: 0 }, { days: -1 }, { days: 1.5 }, { days: '1' }, { days: 1, hours: 2 }])(
    '[SBX-41, ERR-11] refuses %j',
    async (body) => {
      expect((await extend(body)).json).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    },
  )

  it('[SBX-37, SBX-38, SBX-39, SBX-40] adds days twice, at most 30 from now, and does not count refusals', async () => {
    const tooLong = await extend({ days: 30 })
    expect(tooLong.json).toMatchObject({ status: 400, code: 'TTL_TOO_LONG' })
    const first = await extend({ days: 5 })
    expect(first.json.extensionsRemaining).toBe(1)
    expect(Date.parse(first.json.expiresAt) - Date.parse(sandbox.expiresAt)).toBe(5 * DAY_MS)
    expect((await extend({ days: 25 })).json.code).toBe('TTL_TOO_LONG')
    expect((await extend({ days: 23 })).json.extensionsRemaining).toBe(0)
    expect((await extend({ days: 1 })).json).toMatchObject({ status: 400, code: 'EXTENSIONS_EXHAUSTED' })
  })
})

describe('resetting', () => {
  it('[SBX-42, SBX-43, SBX-44, SBX-46, STK-06, ERR-18] seeds the same building again, with the same ids', async () => {
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key, { storeys: 2 })
    const spaces = async () => {
      const url = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}/spaces`
      return await call(url, { token: connection.token })
    }
    const before = await spaces()
    const reset = await api(key, `${path}/${record.sandboxId}/reset`, { method: 'POST' })
    expect(reset.status).toBe(202)
    expect(reset.json).toMatchObject({
      sandboxId: record.sandboxId,
      slug: record.slug,
      seed: record.seed,
      status: 'provisioning',
    })
    const again = await api(key, `${path}/${record.sandboxId}/reset`, { method: 'POST' })
    expect(again.json).toMatchObject({ status: 409, code: 'CONFLICT' })
    const closed = await spaces()
    expect(closed.json).toMatchObject({ status: 503, code: 'NOT_READY' })
    expect(Number(closed.headers['retry-after'])).toBeGreaterThan(0)
    const settled = await waitWhileProvisioning(key, record.sandboxId)
    expect(settled).toMatchObject({ status: 'ready', buildingId: record.buildingId, fingerprint: record.fingerprint })
    const ids = (list: typeof before) => list.json.data.map((space: { id: string }) => space.id)
    expect(ids(await spaces())).toEqual(ids(before))
    const after = await api(key, `${path}/${record.sandboxId}/connection`)
    expect(after.json.token).toBe(connection.token)
  })

  it('[ERR-11] accepts only an empty body', async () => {
    const { key } = await newDeveloper()
    const { record } = await newSandbox(key)
    const refused = await api(key, `${path}/${record.sandboxId}/reset`, { body: { hard: true } })
    expect(refused.json).toMatchObject({ status: 400, errors: [{ pointer: '/hard' }] })
    expect((await api(key, `${path}/${record.sandboxId}/reset`, { body: {} })).status).toBe(202)
  })
})

describe('deleting', () => {
  it('[SBX-48] removes a ready sandbox and its address', async () => {
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key)
    await call(`${connection.apiUrl}/healthz`)
    expect((await api(key, `${path}/${record.sandboxId}`, { method: 'DELETE' })).status).toBe(204)
    expect((await api(key, `${path}/${record.sandboxId}`)).status).toBe(404)
    expect((await api(key, `${path}/${record.sandboxId}`, { method: 'DELETE' })).status).toBe(404)
    expect((await call(`${connection.apiUrl}/healthz`)).json).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('[SBX-48] removes a sandbox that is being created', async () => {
    const { key } = await newDeveloper()
    const { json } = await api(key, path, { body: { name: 'Large', storeys: 50, equipmentDensity: 'dense' } })
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect((await api(key, `${path}/${json.sandboxId}`, { method: 'DELETE' })).status).toBe(204)
    expect((await api(key, `${path}/${json.sandboxId}`)).status).toBe(404)
  })
})

describe('the quota', () => {
  it('[SBX-33, SBX-36] allows three of ten concurrent creates, and one more after a delete', async () => {
    const { key } = await newDeveloper()
    const create = () => api(key, path, { body: { name: 'Many', ...SMALL } })
    const answers = await Promise.all(Array.from({ length: 10 }, create))
    const accepted = answers.filter(({ status }) => status === 202)
    expect(accepted).toHaveLength(3)
    for (const { json } of answers.filter(({ status }) => status !== 202)) {
      expect(json).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED' })
    }
    expect((await api(key, `${path}/${accepted[0]!.json.sandboxId}`, { method: 'DELETE' })).status).toBe(204)
    expect((await create()).status).toBe(202)
    expect((await create()).status).toBe(429)
  })
})
