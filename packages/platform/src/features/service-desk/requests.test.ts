import { ROLES } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bearer, HOUR_MS, NOBODY, REQUESTS, startTestDesk, type TestDesk, withRole } from './testing/test-desk.ts'

let desk: TestDesk
beforeAll(async () => {
  desk = await startTestDesk()
})
afterAll(() => desk.close())

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const post = (body: unknown, authorization?: string) => desk.stack.send('POST', REQUESTS, body, authorization)
const total = async () => (await desk.list()).body.total as number

describe('POST /api/service-desk/requests', () => {
  it('[DSK-01, DSK-10, DSK-11, DSK-16] creates a request, and returns the record', async () => {
    const { buildingId, storeyId, spaceId, elementId } = desk
    const body = {
      ...{
        buildingId,
        title: 'Лифт стоит 🛗',
        description: 'Двери\nне закрываются',
        category: 'lifts',
        priority: 'high',
      },
      ...{ spaceId, storeyId, elementId },
    }
    const answer = await post(body)
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      ...body,
      ...{ id: UUID, number: expect.stringMatching(/^SR-\d{6}$/), state: 'new', reporter: 'sandbox' },
      ...{ faultId: null, assignedUserId: null, assignedTeamId: null, workOrderIds: [] },
      ...{ dueAt: TIME, overdue: false, slaState: 'on_time', createdAt: TIME, updatedAt: TIME },
    })
    expect(Date.parse(answer.body.dueAt) - Date.parse(answer.body.createdAt)).toBe(24 * HOUR_MS)
    expect(answer.headers.location).toBe(`${REQUESTS}/${answer.body.id}`)
    expect((await desk.stack.get(answer.headers.location as string)).body).toEqual(answer.body)
  })

  it('requires only a building and a title, and accepts ids in upper or lower case', async () => {
    const { buildingId, spaceId } = desk
    const body = { buildingId: buildingId.toUpperCase(), title: 'x', spaceId: spaceId.toUpperCase() }
    expect((await post(body)).body).toMatchObject({
      ...{ buildingId, spaceId, description: null, category: 'other', priority: 'normal' },
      ...{ storeyId: desk.storeyId, elementId: null },
    })
  })

  it('numbers requests consecutively', async () => {
    const [first, second] = [await desk.open(), await desk.open()]
    expect(Number(second.number.slice(3))).toBe(Number(first.number.slice(3)) + 1)
  })

  it.each([
    ['[DSK-12]', 'spaceId', '2O2Fr$t4X7Zf8NOew3FLOH', 'a GlobalId'],
    ['[DSK-12]', 'storeyId', 'OFF-01', 'a code'],
    ['[DSK-12]', 'elementId', 'urn:uuid:0191b6a0-0000-7000-8000-000000000000', 'another form of a UUID'],
    ['[DSK-12]', 'buildingId', 'tower', 'a name'],
    ['[DSK-13]', 'spaceId', NOBODY, 'an unknown id'],
    ['[DSK-13]', 'elementId', NOBODY, 'an unknown id'],
    ['[DSK-13]', 'buildingId', NOBODY, 'an unknown id'],
    ['[DSK-14]', 'priority', 'urgent', 'an unknown priority'],
    ['[DSK-15]', 'category', 'gardening', 'an unknown category'],
    ['', 'title', '', 'empty'],
    ['', 'title', 'a\u0000b', 'NUL'],
    ['', 'title', 'two\nlines', 'two lines'],
    ['', 'title', ' \u00a0 ', 'blanks'],
    ['', 'title', '\u200b\u2060\ufe0f \u00ad\u3164\u2800', 'only invisible characters'],
    ['', 'title', 'x'.repeat(201), 'too long'],
    ['', 'description', 'a\u0000b', 'NUL'],
    ['', 'description', 'x'.repeat(10_001), 'too long'],
    ['', 'state', 'closed', 'a read-only field'],
    ['', 'assignedUserId', 'ann', 'a field that only PATCH accepts'],
  ])('%s refuses %s %j: %s', async (_, field, value) => {
    const before = await total()
    const { status, body } = await post({ buildingId: desk.buildingId, title: 'x', [field]: value })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: expect.arrayContaining([expect.objectContaining({ pointer: `/${field}`, in: 'body' })]),
    })
    expect(await total()).toBe(before)
  })

  it('[DSK-13] refuses nodes of another kind or building, and names the field of each', async () => {
    const { buildingId, storeyId, spaceId, stack } = desk
    const places = {
      spaceId: storeyId,
      storeyId: spaceId,
      elementId: stack.other.idOf(stack.other.building.elements[0]!.key),
    }
    const { status, body } = await post({ buildingId, title: 'x', ...places })
    expect(status).toBe(400)
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/spaceId',
      '/storeyId',
      '/elementId',
    ])
  })

  it('takes the storey from the space or the element, if no storey is given', async () => {
    const { spaceId, storeyId, elementId, stack } = desk
    const made = await desk.open({ spaceId, storeyId: null })
    expect(made.storeyId).toBe(storeyId)
    expect((await desk.list(`?storeyId=${storeyId}&search=${made.number}`)).body.total).toBe(1)
    const byElement = await desk.open({ elementId })
    expect(byElement.storeyId).toBe(stack.idOf(stack.building.elements[0]!.storeyKey))
    const other = stack.idOf(stack.building.storeys[1]!.key)
    // The failing element may be on another storey than the request.
    expect(await desk.open({ elementId, storeyId: other })).toMatchObject({ elementId, storeyId: other })
  })

  it('refuses a space that is not on the given storey, and names both fields', async () => {
    const { buildingId, spaceId, stack } = desk
    const storeyId = stack.idOf(stack.building.storeys[1]!.key)
    const before = await total()
    const { status, body } = await post({ buildingId, title: 'x', spaceId, storeyId })
    expect(status).toBe(400)
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/spaceId', '/storeyId'])
    expect(await total()).toBe(before)
  })

  it('stores long texts of any script', async () => {
    const description = ['𠮷', 'é', 'ﷺ', '🔥', 'ⅷ', 'ﷲﷴ']
      .map((c) => c.repeat(1_600 / c.length))
      .join('\n')
      .slice(0, 10_000)
    const made = await desk.open({ title: '🏢'.repeat(100), description })
    expect(made).toMatchObject({ description })
    const mixed = Array.from({ length: 10_000 }, (_, i) =>
      String.fromCharCode(0xfdf2 + ((Math.imul(i + 1, 2654435761) >>> 11) % 8)),
    ).join('')
    expect((await desk.open({ description: mixed })).description).toBe(mixed)
  })
})

describe('GET /api/service-desk/requests/{id}', () => {
  it.each([NOBODY, 'SR-000001', '%2e%2e', "'"])('responds with 404 for %s', async (id) => {
    expect(await desk.stack.get(`${REQUESTS}/${id}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
  })
})

describe('PATCH /api/service-desk/requests/{id}', () => {
  it('[DSK-17] changes only the given fields', async () => {
    const made = await desk.open({ description: 'old', spaceId: desk.spaceId })
    const { storeyId, elementId } = desk
    const changes = {
      ...{ title: 'New', description: null, category: 'it', priority: 'low', storeyId, elementId, spaceId: null },
      ...{ assignedUserId: 'ann', assignedTeamId: 'team 1' },
    }
    const { status, body } = await desk.patch(made.id, changes)
    expect(status).toBe(200)
    expect(body).toEqual({ ...made, ...changes, state: 'assigned', dueAt: TIME, updatedAt: TIME })
    expect((await desk.patch(made.id, { title: 'Newer' })).body).toEqual({ ...body, title: 'Newer', updatedAt: TIME })
    expect((await desk.patch(made.id, { assignedUserId: null, assignedTeamId: null })).body).toMatchObject({
      ...{ assignedUserId: null, assignedTeamId: null, state: 'assigned' },
    })
  })

  it.each(['assignedUserId', 'assignedTeamId'])('[DSK-18] assigns a new request by %s', async (field) => {
    const made = await desk.open()
    expect((await desk.patch(made.id, { [field]: null })).body.state).toBe('new')
    expect((await desk.patch(made.id, { [field]: 'someone' })).body.state).toBe('assigned')
    await desk.move(made.id, 'in_progress')
    expect((await desk.patch(made.id, { [field]: 'another' })).body.state).toBe('in_progress')
  })

  it('takes the storey from a new space, and refuses another storey', async () => {
    const { stack, storeyId, spaceId } = desk
    const made = await desk.open({ spaceId })
    const upstairs = stack.building.storeys[1]!
    const above = stack.idOf(upstairs.key)
    const room = stack.idOf(stack.building.spaces.find(({ storeyKey }) => storeyKey === upstairs.key)!.key)
    expect((await desk.patch(made.id, { storeyId: above })).body.errors).toMatchObject([
      { pointer: '/spaceId' },
      { pointer: '/storeyId' },
    ])
    expect((await desk.patch(made.id, { spaceId: room, storeyId })).status).toBe(400)
    expect((await desk.patch(made.id, { spaceId: room })).body).toMatchObject({ spaceId: room, storeyId: above })
    expect((await desk.patch(made.id, { spaceId: null })).body).toMatchObject({ spaceId: null, storeyId: above })
    expect((await desk.patch(made.id, { storeyId })).body).toMatchObject({ spaceId: null, storeyId })
  })

  it('takes the storey from a new element, unless the request had another storey than its element', async () => {
    const { stack } = desk
    const [below, above] = stack.building.storeys.map(({ key }) => stack.idOf(key))
    const [first, second] = [0, 1].map((i) => {
      const { key } = stack.building.storeys[i]!
      return stack.idOf(stack.building.elements.find(({ storeyKey }) => storeyKey === key)!.key)
    })
    const made = await desk.open({ elementId: first })
    expect((await desk.patch(made.id, { elementId: second })).body.storeyId).toBe(above)
    const apart = await desk.open({ elementId: second, storeyId: below })
    expect((await desk.patch(apart.id, { elementId: first })).body.storeyId).toBe(below)
    expect((await desk.patch(apart.id, { elementId: second })).body.storeyId).toBe(above)
  })

  it('accepts the stored space and storey again, even if the space was deleted', async () => {
    const { stack, buildingId, storeyId } = desk
    const path = `/api/v1/buildings/${buildingId}/spaces`
    const room = (
      await stack.send('POST', path, {
        storeyId,
        name: 'Gone soon',
        spaceTypeSlug: stack.building.spaces[0]!.spaceType,
      })
    ).body
    const made = await desk.open({ spaceId: room.id })
    expect((await stack.send('DELETE', `${path}/${room.id}`)).status).toBe(204)
    const again = { title: 'Later', spaceId: room.id, storeyId, elementId: null }
    expect(await desk.patch(made.id, again)).toMatchObject({ status: 200, body: { title: 'Later', spaceId: room.id } })
    expect((await desk.patch(made.id, { spaceId: desk.spaceId })).status).toBe(200)
    expect((await desk.patch(made.id, { spaceId: room.id })).status).toBe(400)
  })

  it('changes nothing, not even updatedAt, if the patch has the stored values', async () => {
    const made = await desk.open({ spaceId: desk.spaceId })
    const same = { title: made.title, priority: 'normal', spaceId: desk.spaceId.toUpperCase(), description: null }
    expect((await desk.patch(made.id, same)).body).toEqual(made)
  })

  it.each([
    ['[DSK-12]', 'spaceId', '2O2Fr$t4X7Zf8NOew3FLOH'],
    ['[DSK-12]', 'elementId', 'AHU-1'],
    ['[DSK-13]', 'storeyId', NOBODY],
    ['[DSK-14]', 'priority', 'now'],
    ['[DSK-15]', 'category', ''],
    ['', 'title', null],
    ['', 'assignedUserId', ''],
    ['', 'assignedUserId', 'a\u0007'],
    ['', 'assignedTeamId', '\u200b'],
    ['', 'assignedTeamId', 'x'.repeat(256)],
    ['', 'state', 'closed'],
    ['', 'buildingId', NOBODY],
  ])('%s refuses %s %j', async (_, field, value) => {
    const made = await desk.open()
    const { status, body } = await desk.patch(made.id, { title: 'changed', [field]: value })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: expect.arrayContaining([expect.objectContaining({ pointer: `/${field}` })]),
    })
    expect((await desk.stack.get(`${REQUESTS}/${made.id}`)).body).toEqual(made)
  })

  it('refuses an empty patch, and responds with 404 for an unknown request', async () => {
    const made = await desk.open()
    expect((await desk.patch(made.id, {})).status).toBe(400)
    expect((await desk.patch(NOBODY, { title: 'x' })).status).toBe(404)
  })
})

describe('comments', () => {
  it('are stored unchanged', async () => {
    const path = `${REQUESTS}/${(await desk.open()).id}/comments`
    const text = '  \u200bspaced \n\n'
    expect((await desk.stack.send('POST', path, { text })).body.text).toBe(text)
  })

  it('[DSK-27] are added and listed', async () => {
    const made = await desk.open()
    const path = `${REQUESTS}/${made.id}/comments`
    const user = await withRole('user')
    const first = await desk.stack.send('POST', path, { text: 'Still broken\n😤' }, user)
    expect(first).toMatchObject({ status: 201 })
    expect(first.body).toEqual({ id: UUID, text: 'Still broken\n😤', author: 'sandbox', createdAt: TIME })
    const second = (await desk.stack.send('POST', path, { text: 'Coming' })).body
    expect((await desk.stack.get(path, user)).body).toEqual({
      data: [first.body, second],
      total: 2,
      limit: 50,
      offset: 0,
    })
    expect((await desk.stack.get(`${path}?limit=1&offset=1`)).body).toMatchObject({ data: [second], total: 2 })
    expect((await desk.stack.get(`${path}?limit=201`)).body.code).toBe('LIMIT_TOO_LARGE')
    const { updatedAt } = (await desk.stack.get(`${REQUESTS}/${made.id}`)).body
    expect(updatedAt).toBe(second.createdAt)
  })

  it.each([
    {},
    { text: '' },
    { text: 'x'.repeat(10_001) },
    { text: 'a\u0000' },
    { text: ' \n\t\u00a0' },
    { text: '\u200b\u200d\ufeff\u3164\u2800' },
    { text: 1 },
    { text: 'x', author: 'me' },
  ])('are refused if the body is %j', async (body) => {
    const made = await desk.open()
    const path = `${REQUESTS}/${made.id}/comments`
    expect((await desk.stack.send('POST', path, body)).status).toBe(400)
    expect((await desk.stack.get(path)).body.total).toBe(0)
  })

  it('of an unknown request are not found', async () => {
    expect((await desk.stack.get(`${REQUESTS}/${NOBODY}/comments`)).status).toBe(404)
    expect((await desk.stack.send('POST', `${REQUESTS}/${NOBODY}/comments`, { text: 'x' })).status).toBe(404)
  })
})

describe('permissions', () => {
  const calls = (id: string) =>
    [
      ['read', 'GET', REQUESTS, undefined],
      ['read', 'GET', `${REQUESTS}/${id}`, undefined],
      ['read', 'GET', `${REQUESTS}/${id}/comments`, undefined],
      ['create', 'POST', REQUESTS, { buildingId: desk.buildingId, title: 'x' }],
      ['create', 'POST', `${REQUESTS}/${id}/comments`, { text: 'x' }],
      ['manage', 'PATCH', `${REQUESTS}/${id}`, { title: 'x' }],
      ['manage', 'POST', `${REQUESTS}/${id}/transition`, { state: 'in_progress' }],
    ] as const

  it.each(ROLES)('allow a %s what its role permits', async (role) => {
    const token = await withRole(role)
    const manages = role === 'manager' || role === 'admin'
    for (const [permission, method, path, body] of calls((await desk.open()).id)) {
      const { status } = await desk.stack.send(method, path, body, token)
      expect(status < 300 ? 'allowed' : status, `${method} ${path}`).toBe(
        permission !== 'manage' || manages ? 'allowed' : 403,
      )
    }
  })

  it('require a token of this tenant', async () => {
    const outsider = await bearer({ tenant_id: 'org_other' })
    for (const [, method, path, body] of calls((await desk.open()).id)) {
      expect((await desk.stack.send(method, path, body, null)).status, path).toBe(401)
      expect((await desk.stack.send(method, path, body, outsider)).status, path).toBe(403)
    }
  })

  it('hide requests of buildings outside the scope of the token', async () => {
    const { stack, buildingId } = desk
    const here = await desk.open({ title: 'here' })
    const there = (await post({ buildingId: stack.other.buildingId, title: 'there' })).body
    const token = await withRole('manager', [stack.other.buildingId])
    const listed = (await desk.list('?limit=200', token)).body
    expect(listed).toMatchObject({ total: 1, data: [{ id: there.id }] })
    expect((await desk.list('?search=there', token)).body.total).toBe(1)
    expect((await desk.list('?search=here&overdue=false', token)).body).toMatchObject({
      total: 1,
      data: [{ id: there.id }],
    })
    expect((await desk.list(`?buildingId=${buildingId}`, token)).body.code).toBe('PERMISSION_DENIED')
    expect((await desk.list(`?buildingId=${NOBODY}`, token)).body.code).toBe('PERMISSION_DENIED')
    expect((await post({ buildingId, title: 'x' }, token)).body.code).toBe('PERMISSION_DENIED')
    for (const [, method, path, body] of calls(here.id).filter(([, , path]) => path.includes(here.id))) {
      expect((await stack.send(method, path, body, token)).status, `${method} ${path}`).toBe(404)
    }
    for (const [, method, path, body] of calls(there.id).filter(([, , path]) => path.includes(there.id))) {
      expect((await stack.send(method, path, body, token)).status, `${method} ${path}`).toBeLessThan(300)
    }
    expect((await desk.list('', await withRole('user', []))).body).toMatchObject({ total: 0, data: [] })
  })
})
