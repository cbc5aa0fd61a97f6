import { PERMISSIONS, type Permission, PLATFORM_ADMINISTRATOR, ROLES } from '@storey/contract'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestHttp, type TestHttp } from '../testing/test-http.ts'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import { ORGANIZATION_ID, SANDBOX_ID, sandboxToken } from '../testing/tokens.ts'

let realm: TestRealm
let http: TestHttp
let stack: TestStack

beforeAll(async () => {
  realm = await startTestRealm('/realms/sandboxes')
  http = await startTestHttp({ sandboxesIssuer: realm.issuer })
  stack = await startTestStack({ sandboxesIssuer: realm.issuer })
})
afterAll(async () => {
  await stack.close()
  await realm.stop()
})

const permissions = Object.keys(PERMISSIONS) as Permission[]
const tokenWith = (roles: string[], claims: Record<string, unknown> = {}) =>
  realm.sign({ tenant_id: ORGANIZATION_ID, realm_access: { roles }, ...claims })
const refused = { status: 403, body: { code: 'PERMISSION_DENIED' } }

describe('permissions', () => {
  it.each(ROLES)(
    '[PRM-02, PRM-06, PRM-07, PRM-08, PRM-09] allow a %s what the permission table lists',
    async (role) => {
      const token = await tokenWith([role])
      for (const permission of permissions) {
        const held = (PERMISSIONS[permission] as readonly string[]).includes(role)
        expect(await http.mayUse(permission, token), permission).toBe(held ? 'yes' : 'PERMISSION_DENIED')
      }
    },
  )

  it('[PRM-05] are all granted to the sandbox token', async () => {
    const token = await sandboxToken()
    for (const permission of permissions) expect(await http.mayUse(permission, token), permission).toBe('yes')
  })

  it('[PRM-14] are not granted to a realm token that has the role platform-administrator', async () => {
    const token = await tokenWith([PLATFORM_ADMINISTRATOR])
    for (const permission of permissions) {
      expect(await http.mayUse(permission, token), permission).toBe('PERMISSION_DENIED')
    }
  })

  it('[PRM-17] are not required on routes that require only the tenant', async () => {
    expect(await http.mayUse('tenant', await tokenWith([]))).toBe('yes')
    expect(await http.mayUse('tenant', await realm.sign({ tenant_id: 'org_other' }))).toBe('PERMISSION_DENIED')
    expect((await http.get('/routes/tenant')).status).toBe(401)
  })
})

describe('the tenant', () => {
  it.each([
    ['another tenant', 'org_other'],
    ['no tenant', undefined],
    ['an empty tenant', ''],
    ['a list of tenants', [ORGANIZATION_ID]],
  ])('[PRM-01] is not accessible to a token of %s', async (_, tenant_id) => {
    const token = await tokenWith(['admin'], { tenant_id })
    expect(await stack.get('/api/v1/buildings', `Bearer ${token}`)).toMatchObject(refused)
  })

  it('[PRM-04] is not accessible to a building-graph-writer of another tenant', async () => {
    const token = await tokenWith(['building-graph-writer'], { tenant_id: 'org_other' })
    expect(await stack.get('/api/v1/buildings', `Bearer ${token}`)).toMatchObject(refused)
  })
})

describe('buildings', () => {
  const spaces = (buildingId: string) => `/api/v1/buildings/${buildingId}/spaces`
  const ids = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id)

  it('[PRM-03] are limited to those that the token names', async () => {
    const { seeded, other } = stack
    const token = `Bearer ${await tokenWith(['manager'], { building_ids: [seeded.buildingId.toUpperCase()] })}`
    expect((await stack.get(spaces(seeded.buildingId), token)).status).toBe(200)
    expect((await stack.get(spaces(seeded.buildingId.toUpperCase()), token)).status).toBe(200)
    expect(await stack.get(spaces(other.buildingId), token)).toMatchObject(refused)
    expect(await stack.get(`/api/v1/buildings/${other.buildingId}`, token)).toMatchObject(refused)
    expect(await stack.get(spaces('0191b6a0-0000-7000-8000-000000000000'), token)).toMatchObject(refused)
  })

  it('[PRM-03] outside the scope of the token are not listed', async () => {
    const { seeded, other } = stack
    const token = `Bearer ${await tokenWith(['user'], { building_ids: [other.buildingId, 'no-uuid'] })}`
    const { body } = await stack.get('/api/v1/buildings', token)
    expect({ ids: ids(body), total: body.total }).toEqual({ ids: [other.buildingId], total: 1 })
    const all = await stack.get('/api/v1/buildings', `Bearer ${await tokenWith(['user'])}`)
    expect(ids(all.body).sort()).toEqual([seeded.buildingId, other.buildingId].sort())
  })

  it("[PRM-03, ERR-16] do not give access to each other's nodes", async () => {
    const { seeded, other } = stack
    const token = `Bearer ${await tokenWith(['user'], { building_ids: [seeded.buildingId] })}`
    const node = other.idOf(other.building.spaces[0]!.key)
    expect(await stack.get(`${spaces(seeded.buildingId)}/${node}`, token)).toMatchObject({ status: 404 })
  })

  it('[PRM-02] in the scope of the token still require the permission', async () => {
    const token = await tokenWith(['user'], { building_ids: ['b1'] })
    expect(await http.get('/buildings/b1/routes/building.graph-write', token)).toMatchObject(refused)
    expect(await http.get('/buildings/b1/routes/building.graph-read', token)).toMatchObject({ status: 200 })
  })

  it('[PRM-17] are limited to those that the token names, even on routes that require only the tenant', async () => {
    const token = await tokenWith([], { building_ids: ['b1'] })
    expect(await http.get('/buildings/b1/routes/tenant', token)).toMatchObject({ status: 200 })
    expect(await http.get('/buildings/b2/routes/tenant', token)).toMatchObject(refused)
  })

  it('[PRM-04] that a token names do not limit a building-graph-writer to these buildings', async () => {
    const { seeded, other } = stack
    const token = `Bearer ${await tokenWith(['building-graph-writer'], { building_ids: [seeded.buildingId] })}`
    expect((await stack.get(spaces(other.buildingId), token)).status).toBe(200)
    expect((await stack.get('/api/v1/buildings', token)).body.total).toBe(2)
  })

  it.each([
    ['none', []],
    ['null', null],
    ['a number', 7],
    ['an object', { 0: 'b1' }],
    ['a list of lists', [['b1']]],
  ])('[PRM-03] are all inaccessible to a token that names %s', async (_, building_ids) => {
    const token = await tokenWith(['manager'], { building_ids })
    expect(await http.get('/buildings/b1/routes/building.graph-read', token)).toMatchObject(refused)
    expect((await stack.get('/api/v1/buildings', `Bearer ${token}`)).body).toMatchObject({ data: [], total: 0 })
  })

  it('[PRM-03] share their settings, which only a token for all of them may change', async () => {
    const { seeded, other } = stack
    const change = async (building_ids?: readonly string[]) =>
      await stack.send(
        'PATCH',
        '/api/v1/settings',
        { telemetryRetentionDays: 36_000 },
        `Bearer ${await tokenWith(['manager'], building_ids ? { building_ids } : {})}`,
      )
    for (const ids of [[], ['0191b6a0-0000-7000-8000-000000000000'], [seeded.buildingId], [other.buildingId]])
      expect(await change(ids)).toMatchObject(refused)
    expect((await change([seeded.buildingId, other.buildingId.toUpperCase()])).status).toBe(200)
    expect((await change()).status).toBe(200)
  })

  it('[PRM-03] limit webhooks too: a token for one building does not see the webhook of a token for no building', async () => {
    const bearerFor = async (building_ids: readonly string[]) =>
      `Bearer ${await tokenWith(['manager'], { building_ids })}`
    const body = { url: 'http://127.0.0.1:9/', events: ['building.point.updated'] }
    const [none, one] = [await bearerFor([]), await bearerFor([stack.seeded.buildingId])]
    const created = await stack.send('POST', '/api/v1/webhooks', body, none)
    expect(created.status).toBe(201)
    const path = `/api/v1/webhooks/${created.body.id}`
    expect((await stack.get(path, none)).status).toBe(200)
    expect((await stack.get(path, one)).status).toBe(404)
    expect((await stack.get('/api/v1/webhooks', one)).body.total).toBe(0)
    expect((await stack.send('DELETE', path, undefined, none)).status).toBe(204)
  })

  it('[PRM-03] can be named by a single text instead of a list', async () => {
    const token = await tokenWith(['manager'], { building_ids: 'b1' })
    expect((await http.get('/buildings/b1/routes/building.graph-read', token)).status).toBe(200)
    expect(await http.get('/buildings/b2/routes/building.graph-read', token)).toMatchObject(refused)
  })
})

describe('the caller', () => {
  const callerOf = async (token: string) => (await http.get('/routes/tenant', token)).body

  it('is a person if the token of the realm has an email address', async () => {
    const claims = { sub: 'u1', email: 'ada@example.com', azp: 'shell', building_ids: ['B1'] }
    expect(await callerOf(await tokenWith(['user', PLATFORM_ADMINISTRATOR], claims))).toEqual({
      issuer: realm.issuer,
      subject: 'u1',
      tenantId: ORGANIZATION_ID,
      roles: ['user'],
      buildingIds: ['b1'],
      actor: 'ada@example.com',
      isAdministrator: false,
      isPerson: true,
      issuedAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
    })
  })

  it('is the sandbox itself if the token is the sandbox token', async () => {
    expect(await callerOf(await sandboxToken())).toMatchObject({
      subject: SANDBOX_ID,
      roles: [PLATFORM_ADMINISTRATOR],
      buildingIds: null,
      actor: 'sandbox',
      isAdministrator: true,
    })
  })

  it.each([
    ['a name', { preferred_username: 'ada', azp: 'shell' }, 'ada'],
    ['a client', { client_id: 'importer', azp: 'importer' }, 'importer'],
    ['the party to which the token was issued', { azp: 'importer' }, 'importer'],
    ['a subject', {}, 'u1'],
  ])('is named by %s', async (_, claims, actor) => {
    expect((await callerOf(await tokenWith([], { sub: 'u1', ...claims }))).actor).toBe(actor)
  })
})

describe('a route', () => {
  it('[PRM-20] prevents the start if it requires an unknown permission', async () => {
    const { app } = await startTestHttp()
    const add = (url: string, access: string) => () => app.get(url, { config: { access } }, async () => 'x')
    expect(add('/x', 'building.graph:reed')).toThrow('building.graph:reed, which is not a permission')
    expect(add('/x', 'toString')).toThrow('not a permission')
  })

  it('prevents the start if its building would not be checked', async () => {
    const { app } = await startTestHttp()
    const add = (url: string) => () => app.get(url, { config: { access: 'tenant' } }, async () => 'x')
    expect(add('/api/v1/buildings/:id/x')).toThrow('name the parameter :buildingId')
    expect(add('/api/v1/buildings/:buildingId/x')).not.toThrow()
  })
})
