import { type FaultRecord, LIMITS, QUOTAS } from '@storey/contract'
import { startTestRealm, type TestRealm } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ORGANIZATION_ID, sandboxToken } from '../../testing/tokens.ts'
import { type FaultsApi, startFaultsApi, type TestPoint } from './testing/faults-api.ts'

let realm: TestRealm
let api: FaultsApi
let rules: string
let faults: string
let warm: TestPoint
beforeAll(async () => {
  realm = await startTestRealm('/realms/sandboxes')
  api = await startFaultsApi({}, { sandboxesIssuer: realm.issuer })
  await api.deleteRules()
  rules = `${api.path}/fault-rules`
  faults = `${api.path}/faults`
  warm = await api.newPoint()
})
afterAll(async () => {
  await api.stack.close()
  await realm.stop()
})

const NOBODY = '0191b6a0-0000-7000-8000-000000000000'
const THRESHOLD = { kind: 'threshold', name: 'Too warm', severity: 'major', quantityKind: 'Temperature', above: 300 }
const create = (changes: object = {}, path = rules) => api.stack.send('POST', path, { ...THRESHOLD, ...changes })
const refusal = (pointer: string) => ({
  status: 400,
  body: { code: 'VALIDATION_FAILED', errors: expect.arrayContaining([expect.objectContaining({ pointer })]) },
})
const notFound = { status: 404, body: { code: 'NOT_FOUND' } }
const bearer = async (role: string, claims: object = {}) =>
  `Bearer ${await realm.sign({ tenant_id: ORGANIZATION_ID, realm_access: { roles: [role] }, ...claims })}`

/** Creates a rule and a point, and opens a fault of this rule at the point. */
async function fault(severity = 'minor'): Promise<FaultRecord> {
  api.pass(1)
  const point = await api.newPoint()
  const { body } = await create({ severity, pointId: point.id, quantityKind: null })
  await api.observe([point, 301])
  const found = (await api.faults('?limit=1'))[0]!
  expect(found.ruleId).toBe(body.id)
  return found
}

describe('…/fault-rules', () => {
  it('[FLT-03] creates, lists, reads, changes and deletes a rule', async () => {
    const { status, body: rule, headers } = await create({ durationSeconds: 900, pointType: 'SENSOR' })
    expect(status).toBe(201)
    expect(rule).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      buildingId: api.stack.seeded.buildingId,
      ...{ kind: 'threshold', name: 'Too warm', severity: 'major', enabled: true, isDefault: false },
      ...{
        pointId: null,
        pointName: null,
        quantityKind: 'Temperature',
        unit: null,
        pointType: 'SENSOR',
        elementTypeSlug: null,
      },
      ...{ above: 300, below: null, durationSeconds: 900 },
      createdAt: api.clock.now().toISOString(),
      updatedAt: api.clock.now().toISOString(),
    })
    expect(headers.location).toBe(`${rules}/${rule.id}`)
    expect((await api.stack.get(`${rules}/${rule.id}`)).body).toEqual(rule)
    expect((await api.stack.get(rules)).body).toEqual({ data: [rule], total: 1, limit: 50, offset: 0 })

    api.pass(1)
    const change = {
      name: 'Cold',
      above: null,
      below: -300,
      unit: 'DEG_C',
      pointType: null,
      pointId: warm.id.toUpperCase(),
    }
    const changed = await api.patchRule(rule.id, change)
    const updatedAt = api.clock.now().toISOString()
    expect(changed).toMatchObject({ status: 200, body: { ...rule, ...change, pointId: warm.id, updatedAt } })
    expect((await api.stack.get(`${rules}/${rule.id}`)).body).toEqual(changed.body)

    expect((await api.stack.send('DELETE', `${rules}/${rule.id}`)).status).toBe(204)
    for (const method of ['GET', 'DELETE'] as const) {
      expect(await api.stack.send(method, `${rules}/${rule.id}`)).toMatchObject(notFound)
    }
    expect(await api.patchRule(rule.id, { name: 'x' })).toMatchObject(notFound)
  })

  it.each([
    ['kind', { kind: 'weather' }],
    ['kind', { kind: undefined }],
    ['name', { name: '' }],
    ['name', { name: 'a\nb' }],
    ['name', { name: 'x'.repeat(201) }],
    ['severity', { severity: 'awful' }],
    ['enabled', { enabled: 'yes' }],
    ['colour', { colour: 'red' }],
    ['isDefault', { isDefault: true }],
    ['pointId', { quantityKind: null }],
    ['pointId', { pointId: 'no-uuid' }],
    ['pointName', { pointName: '' }],
    ['pointName', { pointName: 'a\nb' }],
    ['pointId', { pointId: NOBODY }],
    ['quantityKind', { quantityKind: 'Warmth' }],
    ['unit', { unit: 'DEG_X' }],
    ['unit', { unit: 'PPM' }],
    ['pointType', { pointType: 'THING' }],
    ['elementTypeSlug', { elementTypeSlug: 'spaceship' }],
    ['above', { above: null }],
    ['above', { above: 10, below: 10 }],
    ['above', { above: 10, below: 11 }],
    ['above', { above: '30' }],
    ['durationSeconds', { durationSeconds: -1 }],
    ['durationSeconds', { durationSeconds: 0.5 }],
    ['durationSeconds', { durationSeconds: 32 * 86_400 }],
    ['durationSeconds', { durationSeconds: null }],
    ['durationSeconds', { kind: 'stuck', above: null, durationSeconds: 59 }],
    ['durationSeconds', { kind: 'silent', above: null }],
    ['durationSeconds', { kind: 'alarm', above: null, durationSeconds: 1 }],
    ['above', { kind: 'stuck', durationSeconds: 60 }],
    ['above', { kind: 'silent', durationSeconds: 60 }],
    ['above', { kind: 'alarm' }],
    ['below', { kind: 'alarm', above: null, below: 0 }],
  ])('[FLT-03] refuses an invalid %s, names it, and writes nothing: %j', async (field, changes) => {
    expect(await create(changes)).toMatchObject(refusal(`/${field}`))
    expect((await api.stack.get(rules)).body.total).toBe(0)
  })

  it('refuses infinite bounds, invalid bodies and points of another building', async () => {
    const headers = { 'content-type': 'application/json' }
    const text = JSON.stringify(THRESHOLD).replace('300', '1e999')
    expect(await api.stack.send('POST', rules, text, undefined, headers)).toMatchObject(refusal('/above'))
    for (const body of ['', '[]', 'null', '7', '{']) {
      expect((await api.stack.send('POST', rules, body, undefined, headers)).status, body).toBe(400)
    }
    const elsewhere = api.stack.other.idOf(api.stack.other.building.points[0]!.key)
    expect(await create({ pointId: elsewhere })).toMatchObject(refusal('/pointId'))
    expect((await api.stack.get(rules)).body.total).toBe(0)
  })

  it('validates the whole rule after a change', async () => {
    const { body: rule } = await create({ below: 10 })
    const { body: stuck } = await create({ kind: 'stuck', above: null, durationSeconds: 60 })
    const refused: [string, string, object][] = [
      [rule.id, '/above', { above: null, below: null }],
      [rule.id, '/above', { above: 9 }],
      [rule.id, '/pointId', { quantityKind: null }],
      [rule.id, '/pointId', { pointId: NOBODY }],
      [rule.id, '/unit', { unit: 'LUX' }],
      [rule.id, '/kind', { kind: 'alarm' }],
      [stuck.id, '/durationSeconds', { durationSeconds: 0 }],
      [stuck.id, '/above', { above: 3 }],
    ]
    for (const [id, pointer, change] of refused) expect(await api.patchRule(id, change)).toMatchObject(refusal(pointer))
    expect((await api.patchRule(rule.id, {})).status).toBe(400)
    expect((await api.stack.get(`${rules}/${rule.id}`)).body).toEqual(rule)
    await api.deleteRules()
  })

  it('finds a rule only in its own building', async () => {
    const { body: rule } = await create()
    const elsewhere = rules.replace(api.stack.seeded.buildingId, api.stack.other.buildingId)
    expect(await api.stack.get(`${elsewhere}/${rule.id}`)).toMatchObject(notFound)
    expect(await api.stack.send('DELETE', `${elsewhere}/${rule.id}`)).toMatchObject(notFound)
    expect(await api.stack.send('PATCH', `${elsewhere}/${rule.id}`, { name: 'x' })).toMatchObject(notFound)
    for (const unknown of [NOBODY, 'no-uuid', `${NOBODY}%00`]) {
      const path = rules.replace(api.stack.seeded.buildingId, unknown)
      expect(await api.stack.get(path)).toMatchObject(notFound)
      expect(await create({}, path)).toMatchObject(notFound)
      expect(await api.stack.get(`${rules}/${unknown}`)).toMatchObject(notFound)
    }
    await api.deleteRules()
  })

  it('[FLT-03] returns pages, and refuses unknown parameters', async () => {
    const names = ['a', 'b', 'c']
    for (const name of names) await create({ name })
    const { body } = await api.stack.get(`${rules}?limit=2&offset=1`)
    expect(body).toMatchObject({ data: [{ name: 'b' }, { name: 'c' }], total: 3, limit: 2, offset: 1 })
    expect(await api.stack.get(`${rules}?limit=201`)).toMatchObject({ status: 400, body: { code: 'LIMIT_TOO_LARGE' } })
    expect(await api.stack.get(`${rules}?kind=alarm`)).toMatchObject({ status: 400 })
    await api.deleteRules()
  })
})

describe('…/faults', () => {
  it('[FLT-01] lists faults, newest first, and filters by state, severity, element and point', async () => {
    const [older, newer] = [await fault('minor'), await fault('critical')]
    const ids = async (query: string) => (await api.faults(query)).map(({ id }) => id)
    expect(await ids('')).toEqual([newer.id, older.id])
    expect(await ids('?severity=critical')).toEqual([newer.id])
    expect(await ids('?severity=info')).toEqual([])
    expect(await ids(`?elementId=${older.elementId}`)).toEqual([newer.id, older.id])
    expect(await ids(`?elementId=${NOBODY}`)).toEqual([])
    expect(await ids(`?pointId=${older.pointId}`)).toContain(older.id)
    expect(await ids(`?pointId=${NOBODY}`)).toEqual([])
    expect(await ids('?state=open')).toEqual([newer.id, older.id])
    expect(await ids('?state=resolved')).toEqual([])
    expect(await ids('?state=open&severity=minor&limit=1')).toEqual([older.id])
    expect((await api.stack.get(`${faults}?limit=1&offset=1`)).body).toMatchObject({ total: 2, limit: 1, offset: 1 })
    expect((await api.stack.get(`${faults}/${older.id}`)).body).toEqual(older)
    await api.stack.send('DELETE', `${rules}/${older.ruleId}`)
    expect(await ids('?state=resolved')).toEqual([older.id])
  })

  it.each([
    'state=closed',
    'active=maybe',
    'severity=awful',
    'elementId=x',
    'limit=0',
    'offset=-1',
    'pointId=x',
    'state=open&state=open',
  ])('[FLT-01] refuses ?%s and names the parameter', async (query) => {
    expect(await api.stack.get(`${faults}?${query}`)).toMatchObject(refusal(`/${query.split('=')[0]}`))
  })

  it('[FLT-02] acknowledges a fault once, with the name of the caller, and refuses to acknowledge a resolved fault', async () => {
    const { id, ruleId } = await fault()
    const path = `${faults}/${id}/acknowledge`
    const at = api.clock.now().toISOString()
    const by = await bearer('manager', { email: 'anna@example.com' })
    const first = await api.stack.send('POST', path, undefined, by)
    expect(first).toMatchObject({
      status: 200,
      body: { id, state: 'acknowledged', acknowledgedAt: at, acknowledgedBy: 'anna@example.com', resolvedAt: null },
    })
    api.pass(1)
    expect(await api.stack.send('POST', path, {})).toMatchObject({ status: 200, body: first.body })
    expect((await api.faults('?state=acknowledged')).map((found) => found.id)).toEqual([id])
    expect(await api.stack.send('POST', path, { note: 'x' })).toMatchObject(refusal('/note'))
    await api.stack.send('DELETE', `${rules}/${ruleId}`)
    expect(await api.stack.send('POST', path)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', field: 'state' },
    })
    expect((await api.stack.get(`${faults}/${id}`)).body).toMatchObject({
      state: 'resolved',
      acknowledgedAt: at,
      acknowledgedBy: 'anna@example.com',
    })
  })

  it('[FLT-09] acknowledges several faults in one call, and leaves resolved and acknowledged ones as they are', async () => {
    const path = `${faults}/acknowledge`
    const [first, second, resolved] = [await fault(), await fault(), await fault()]
    await api.stack.send('DELETE', `${rules}/${resolved!.ruleId}`)
    const earlier = (await api.stack.send('POST', `${faults}/${first!.id}/acknowledge`)).body
    api.pass(1)
    const by = await bearer('manager', { email: 'anna@example.com' })
    const faultIds = [second!.id.toUpperCase(), first!.id, resolved!.id, second!.id]
    const { status, body } = await api.stack.send('POST', path, { faultIds }, by)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: [
        {
          ...second,
          state: 'acknowledged',
          acknowledgedAt: api.clock.now().toISOString(),
          acknowledgedBy: 'anna@example.com',
        },
        earlier,
        expect.objectContaining({ id: resolved!.id, state: 'resolved', acknowledgedAt: null }),
      ],
    })
    for (const one of [first, second]) await api.stack.send('DELETE', `${rules}/${one!.ruleId}`)
  })

  it('[FLT-09] refuses unknown ids, names them and acknowledges nothing', async () => {
    const path = `${faults}/acknowledge`
    const { id, ruleId } = await fault()
    for (const [pointer, faultIds] of [
      ['/faultIds/1', [id, NOBODY]],
      ['/faultIds/0', ['no-uuid', id]],
      ['/faultIds', []],
      ['/faultIds', Array.from({ length: LIMITS.acknowledgedFaults + 1 }, () => id)],
    ] as const) {
      expect(await api.stack.send('POST', path, { faultIds })).toMatchObject(refusal(pointer))
    }
    const elsewhere = path.replace(api.stack.seeded.buildingId, api.stack.other.buildingId)
    expect(await api.stack.send('POST', elsewhere, { faultIds: [id] })).toMatchObject(refusal('/faultIds/0'))
    const nowhere = path.replace(api.stack.seeded.buildingId, NOBODY)
    expect(await api.stack.send('POST', nowhere, { faultIds: [id] })).toMatchObject(notFound)
    expect((await api.stack.get(`${faults}/${id}`)).body.state).toBe('open')
    await api.stack.send('DELETE', `${rules}/${ruleId}`)
  })

  it('[FLT-06] has no second fault of the same rule and point while the first fault is acknowledged', async () => {
    const { id, pointId } = await fault()
    await api.stack.send('POST', `${faults}/${id}/acknowledge`)
    api.pass(1)
    const total = (await api.stack.get(faults)).body.total
    await api.observe([{ ...warm, id: pointId! }, 400])
    expect((await api.stack.get(faults)).body.total).toBe(total)
    await api.observe([{ ...warm, id: pointId! }, 20])
    expect((await api.stack.get(`${faults}/${id}`)).body.state).toBe('resolved')
  })

  it('[FLT-08] counts open and acknowledged faults by severity, and no resolved ones', async () => {
    const counts = async () => (await api.stack.get(`${faults}/summary`)).body
    const before = await counts()
    const [critical] = [await fault('critical'), await fault('critical'), await fault('info')]
    await api.stack.send('POST', `${faults}/${critical!.id}/acknowledge`)
    const after = await counts()
    expect(after).toEqual({
      open: { ...before.open, critical: before.open.critical + 1, info: before.open.info + 1 },
      acknowledged: { ...before.acknowledged, critical: before.acknowledged.critical + 1 },
      total: before.total + 3,
    })
    expect((await api.stack.get(`${faults}?active=true&limit=1`)).body.total).toBe(after.total)
    await api.stack.send('DELETE', `${rules}/${critical!.ruleId}`)
    const resolved = (await api.stack.get(`${faults}?active=false&state=resolved`)).body
    expect(resolved.data.map(({ id }: FaultRecord) => id)).toContain(critical!.id)
    expect((await api.stack.get(`${faults}?active=false&state=open`)).body.total).toBe(0)
    expect(await counts()).toEqual({ ...after, acknowledged: before.acknowledged, total: after.total - 1 })
  })

  it('[FLT-10] names the newest open service request about a fault', async () => {
    const { id, ruleId, elementId } = await fault()
    const desk = '/api/service-desk/requests'
    const about = { buildingId: api.stack.seeded.buildingId, title: 'Too warm', elementId, faultId: id.toUpperCase() }
    const open = async () => (await api.stack.send('POST', desk, about)).body
    const move = (request: { id: string }, state: string) =>
      api.stack.send('POST', `${desk}/${request.id}/transition`, { state })
    const requestOfFault = async () => (await api.stack.get(`${faults}/${id}`)).body.request

    expect(await requestOfFault()).toBeNull()
    const first = await open()
    expect(first.faultId).toBe(id)
    const second = await open()
    expect(await requestOfFault()).toEqual({ id: second.id, number: second.number, state: 'new' })
    await move(second, 'cancelled')
    await move(first, 'in_progress')
    expect(await requestOfFault()).toEqual({ id: first.id, number: first.number, state: 'in_progress' })
    expect((await api.faults()).find((one) => one.id === id)!.request?.id).toBe(first.id)
    const acknowledged = await api.stack.send('POST', `${faults}/${id}/acknowledge`)
    expect(acknowledged.body.request.id).toBe(first.id)
    await move(first, 'resolved')
    expect(await requestOfFault()).toBeNull()
    expect((await api.stack.get(`${desk}/${first.id}`)).body.faultId).toBe(id)
    await api.stack.send('DELETE', `${rules}/${ruleId}`)
  })

  it('[FLT-10] refuses a service request that names an unknown fault, or a fault of another building', async () => {
    const { id, ruleId } = await fault()
    const { buildingId } = api.stack.seeded
    for (const about of [
      { buildingId, faultId: NOBODY },
      { buildingId, faultId: 'no-uuid' },
      { buildingId: api.stack.other.buildingId, faultId: id },
    ]) {
      const answer = await api.stack.send('POST', '/api/service-desk/requests', { title: 'x', ...about })
      expect(answer).toMatchObject(refusal('/faultId'))
    }
    await api.stack.send('DELETE', `${rules}/${ruleId}`)
  })

  it('[FLT-11] has faults of a rule with a pointName only at the points with that name', async () => {
    const [zone, supply] = [await api.newPoint({ name: 'Core zone' }), await api.newPoint({ name: 'Core supply' })]
    const { body: rule } = await create({ pointName: zone.name, elementTypeSlug: 'vav' })
    expect(rule).toMatchObject({ pointName: 'Core zone' })
    await api.observe([supply, 301], [zone, 301])
    const found = async () =>
      (await api.faults('?state=open')).filter(({ ruleId }) => ruleId === rule.id).map(({ pointId }) => pointId)
    expect(await found()).toEqual([zone.id])
    await api.patchRule(rule.id, { pointName: supply.name })
    await api.stack.faults().idle()
    expect(await found()).toEqual([supply.id])
    await api.patchRule(rule.id, { pointName: null })
    await api.stack.faults().idle()
    expect(await found()).toEqual(expect.arrayContaining([supply.id, zone.id]))
    await api.observe([supply, 20], [zone, 20])
    await api.deleteRules()
  })

  it.each([NOBODY, 'no-uuid', '%00', "'"])('responds with 404 for the id %s', async (id) => {
    expect(await api.stack.get(`${faults}/${id}`)).toMatchObject(notFound)
    expect(await api.stack.send('POST', `${faults}/${id}/acknowledge`)).toMatchObject(notFound)
    expect(await api.stack.get(`/api/v1/buildings/${id}/faults`)).toMatchObject(notFound)
    expect(await api.stack.get(`/api/v1/buildings/${id}/faults/summary`)).toMatchObject(notFound)
  })
})

describe('permissions', () => {
  const calls: ['GET' | 'POST' | 'PATCH' | 'DELETE', string, object | undefined][] = [
    ['GET', 'faults', undefined],
    ['GET', 'faults/summary', undefined],
    ['GET', `faults/${NOBODY}`, undefined],
    ['POST', `faults/${NOBODY}/acknowledge`, undefined],
    ['POST', 'faults/acknowledge', { faultIds: [NOBODY] }],
    ['GET', 'fault-rules', undefined],
    ['GET', `fault-rules/${NOBODY}`, undefined],
    ['POST', 'fault-rules', {}],
    ['PATCH', `fault-rules/${NOBODY}`, { name: 'x' }],
    ['DELETE', `fault-rules/${NOBODY}`, undefined],
  ]

  it.each(calls)('are checked for %s …/%s', async (method, path, body) => {
    const call = (authorization: string | null) =>
      api.stack.send(method, `${api.path}/${path}`, body, authorization).then(({ status }) => status)
    expect(await call(null)).toBe(401)
    expect(await call('Bearer nonsense')).toBe(401)
    expect(await call(`Bearer ${await sandboxToken({ tenant_id: 'org_other' })}`)).toBe(403)
    expect(await call(await bearer('manager', { building_ids: [NOBODY] }))).toBe(403)
    const isRead = method === 'GET'
    for (const role of ['user', 'accountant', 'building-graph-writer']) {
      expect(await call(await bearer(role)), role).not.toBe(401)
      expect((await call(await bearer(role))) === 403, role).toBe(!isRead)
    }
    for (const role of ['manager', 'admin']) expect([200, 400, 404], role).toContain(await call(await bearer(role)))
  })
})

describe('too many rules', () => {
  it('[FLT-03, QTA-01] are refused', async () => {
    await api.deleteRules()
    await api.stack.db.transaction(async (tx) => {
      await tx.client.query(
        `insert into fault_rules (id, building_id, kind, name, severity, point_type, created_at, updated_at)
         select gen_random_uuid(), $1, 'alarm', 'x', 'minor', 'ALARM', now(), now() from generate_series(1, $2)`,
        [api.stack.seeded.buildingId, QUOTAS.faultRules.limit - 1],
      )
    })
    const answers = await Promise.all([create(), create(), create()])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 429, 429])
    expect(answers.find(({ status }) => status === 429)!.body).toMatchObject({
      ...{ code: 'QUOTA_EXCEEDED', quota: 'faultRules', limit: 500, used: 500 },
    })
  })
})
