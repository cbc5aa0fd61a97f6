import { ROLES } from '@storey/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { tokenOf } from '../system/service-accounts.ts'
import { api, newDeveloper, newSandbox } from '../system/shared.ts'

describe('the accounts of a sandbox', () => {
  let key: string
  let path: string
  let first: { apiUrl: string; buildingId: string; organizationId: string; token: string }
  let second: { apiUrl: string; buildingId: string }
  beforeAll(async () => {
    key = (await newDeveloper()).key
    const created = await newSandbox(key, { seedTelemetryDays: 1 })
    first = created.connection
    path = `/api/v1/sandboxes/${created.record.sandboxId}`
    second = (await newSandbox(key)).connection
  })
  const spaces = ({ apiUrl, buildingId }: typeof second, token: string) =>
    call(`${apiUrl}/api/v1/buildings/${buildingId}/spaces`, { token })

  it('[IDN-20, IDN-23] are created with a one-time password, listed, read and deleted', async () => {
    const created = await api(key, `${path}/accounts`, { body: { email: 'ann@mall.example', roles: ['manager'] } })
    expect(created.status).toBe(201)
    expect(created.json).toMatchObject({ email: 'ann@mall.example', roles: ['manager'] })
    expect(created.json.oneTimePassword.length).toBeGreaterThan(9)
    const listed = await api(key, `${path}/accounts`)
    expect(listed.json).toMatchObject({ total: 1, data: [{ id: created.json.id, email: 'ann@mall.example' }] })
    expect(listed.text).not.toContain(created.json.oneTimePassword)
    const one = await api(key, `${path}/accounts/${created.json.id}`)
    expect(one.json).toEqual({ id: created.json.id, email: 'ann@mall.example', roles: ['manager'] })
    expect((await api(key, `${path}/accounts/nobody`)).status).toBe(404)
    const repeated = await api(key, `${path}/accounts`, { body: { email: 'ann@mall.example', roles: ['user'] } })
    expect(repeated.json).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect((await api(key, `${path}/accounts/${created.json.id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await api(key, `${path}/accounts/${created.json.id}`, { method: 'DELETE' })).status).toBe(404)
  })

  it.each([
    ['accounts', {}, '/email'],
    ['accounts', { email: 'nobody', roles: ['user'] }, '/email'],
    ['accounts', { email: 'a@b.c', roles: [] }, '/roles'],
    ['accounts', { email: 'a@b.c', roles: ['king'] }, '/roles/0'],
    ['accounts', { email: 'a@b.c', roles: ['platform-administrator'] }, '/roles/0'],
    ['service-accounts', { name: '', roles: ['user'] }, '/name'],
    ['service-accounts', { name: 'x', roles: ['user'], secret: 'mine' }, '/secret'],
  ])('are refused: %s with the body %j', async (kind, body, pointer) => {
    const { status, json } = await api(key, `${path}/${kind}`, { body })
    expect(status).toBe(400)
    expect(json.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer)
  })

  it('[IDN-12, IDN-18, IDN-21, IDN-22, PRM-01, PRM-17] include service accounts, which are valid for their own sandbox only', async () => {
    const body = { name: 'Gateway', roles: ['user'] }
    const created = await api(key, `${path}/service-accounts`, { body })
    expect(created.status).toBe(201)
    expect(created.json).toMatchObject({ name: 'Gateway', roles: ['user'] })
    const token = await tokenOf(created.json)
    expect((await spaces(first, token)).status).toBe(200)
    const latest = await call(`${first.apiUrl}/api/v1/buildings/${first.buildingId}/telemetry/latest`, { token })
    expect(latest.json.data.length).toBeGreaterThan(0)
    expect((await spaces(second, token)).json).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' })
    expect((await api(token, '/api/v1/sandboxes')).json).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
    const listed = await api(key, `${path}/service-accounts`)
    expect(listed.text).not.toContain(created.json.clientSecret)
    expect((await api(key, `${path}/service-accounts/${created.json.id}`, { method: 'DELETE' })).status).toBe(204)
    await expect(tokenOf(created.json)).rejects.toThrow()
  })

  it.each(ROLES)('[PRM-06, PRM-17] read the graph and telemetry as %s', async (role) => {
    const created = await api(key, `${path}/service-accounts`, { body: { name: role, roles: [role] } })
    const token = await tokenOf(created.json)
    const building = `${first.apiUrl}/api/v1/buildings/${first.buildingId}`
    for (const what of ['storeys', 'spaces', 'elements', 'points', 'telemetry/latest']) {
      expect((await call(`${building}/${what}`, { token })).status).toBe(200)
    }
    expect((await call(`${first.apiUrl}/api/v1/catalogs/units`, { token })).status).toBe(200)
  })

  it('[SBX-49] are deleted with their sandbox', async () => {
    const { key } = await newDeveloper()
    const { record } = await newSandbox(key)
    const own = `/api/v1/sandboxes/${record.sandboxId}`
    const created = await api(key, `${own}/service-accounts`, { body: { name: 'Short', roles: ['user'] } })
    expect((await tokenOf(created.json)).length).toBeGreaterThan(100)
    await api(key, own, { method: 'DELETE' })
    await expect(tokenOf(created.json)).rejects.toThrow()
  })

  it('[SBX-31] belong to the sandbox’s owner', async () => {
    const otherDeveloper = (await newDeveloper()).key
    for (const kind of ['accounts', 'service-accounts']) {
      expect((await api(otherDeveloper, `${path}/${kind}`)).status).toBe(404)
      const body = kind === 'accounts' ? { email: 'a@b.c', roles: ['user'] } : { name: 'x', roles: ['user'] }
      expect((await api(otherDeveloper, `${path}/${kind}`, { body })).status).toBe(404)
    }
  })

  it('[RAT-01, RAT-02, RAT-03, RAT-04, RAT-06] have a limit of a hundred requests a minute each, whatever address they claim', async () => {
    const created = await api(key, `${path}/service-accounts`, { body: { name: 'Eager', roles: ['user'] } })
    const token = await tokenOf(created.json)
    const statuses: number[] = []
    let last = await spaces(first, token)
    expect(last.headers['ratelimit-policy']).toContain('q=100')
    for (let i = 1; i < 110; i++) {
      const headers = { 'x-forwarded-for': `10.0.0.${i}` }
      last = await call(`${first.apiUrl}/api/v1/buildings`, { token, headers })
      statuses.push(last.status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(99)
    expect(last.json).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
    expect((await spaces(first, first.token)).status).toBe(200)
  })
})
