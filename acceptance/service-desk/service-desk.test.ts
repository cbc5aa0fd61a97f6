import { holds, type Permission, ROLES, type Role } from '@storey/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type CallOptions, call } from '../system/call.ts'
import { signedIn } from '../system/service-accounts.ts'
import { newDeveloper, newSandbox } from '../system/shared.ts'

const UNKNOWN_ID = '0191b6a0-0000-7000-8000-000000000000'

/** Calls for each permission on requests. They change nothing, even if the caller has the permission. */
const CALLS: readonly [Permission, string, string, CallOptions, number][] = [
  ['service-desk.requests:read', 'list requests', '', {}, 200],
  ['service-desk.requests:read', 'read a request', `/${UNKNOWN_ID}`, {}, 404],
  ['service-desk.requests:read', 'read comments', `/${UNKNOWN_ID}/comments`, {}, 404],
  ['service-desk.requests:create', 'open a request', '', { body: {} }, 400],
  ['service-desk.requests:create', 'comment', `/${UNKNOWN_ID}/comments`, { body: { text: 'x' } }, 404],
  [
    'service-desk.requests:manage',
    'change a request',
    `/${UNKNOWN_ID}`,
    { method: 'PATCH', body: { title: 'x' } },
    404,
  ],
  ['service-desk.requests:manage', 'move a request', `/${UNKNOWN_ID}/transition`, { body: { state: 'assigned' } }, 404],
]

describe('the service desk, through the running system', () => {
  let base: string
  let graph: string
  let buildingId: string
  let administrator: string
  const tokens = new Map<Role, string>()
  beforeAll(async () => {
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key, { storeys: 2, spacesMin: 6, spacesMax: 6 })
    buildingId = connection.buildingId
    base = `${connection.apiUrl}/api/service-desk/requests`
    graph = `${connection.apiUrl}/api/v1/buildings/${buildingId}`
    administrator = connection.token
    for (const role of ROLES) tokens.set(role, await signedIn(key, record.sandboxId, role))
  })
  const as = (role: Role) => ({ token: tokens.get(role)! })
  const ask = (path: string, options: CallOptions = {}): Promise<Answer> =>
    call(base + path, { token: administrator, ...options })

  it.each(CALLS)('requires %s to %s', async (permission, _, path, options, status) => {
    expect((await ask(path, options)).status).toBe(status)
    for (const [role, token] of tokens) {
      const answer = await ask(path, { ...options, token })
      const may = holds([role], permission)
      expect({ role, status: answer.status }).toEqual({ role, status: may ? status : 403 })
      if (!may) expect(answer.json).toMatchObject({ code: 'PERMISSION_DENIED' })
    }
    expect((await call(base + path, options)).status).toBe(401)
  })

  it('[DSK-01, DSK-10, DSK-18, DSK-19, DSK-27] moves a request to in progress, and refuses to move it from there to closed', async () => {
    const [space] = (await call(`${graph}/spaces?limit=1`, { token: administrator })).json.data
    const body = {
      buildingId,
      title: 'Кондиционер течёт',
      description: 'Wasser tropft 💧',
      category: 'hvac',
      priority: 'high',
    }
    const created = await ask('', { ...as('user'), body: { ...body, spaceId: space.id } })
    const places = { spaceId: space.id, storeyId: space.storey.id }
    expect(created).toMatchObject({ status: 201, json: { ...body, state: 'new', ...places } })
    expect((await ask(`?search=${created.json.number}&storeyId=${space.storey.id}`)).json.total).toBe(1)
    const path = `/${created.json.id}`
    expect(await ask('', { ...as('user'), body: { ...body, spaceId: space.externalId } })).toMatchObject({
      status: 400,
      json: { code: 'VALIDATION_FAILED', errors: [{ pointer: '/spaceId' }] },
    })

    const assigned = await ask(path, { ...as('manager'), method: 'PATCH', body: { assignedTeamId: 'Haustechnik' } })
    expect(assigned.json).toMatchObject({ state: 'assigned', assignedTeamId: 'Haustechnik' })
    expect((await ask(`${path}/comments`, { ...as('accountant'), body: { text: 'Budget?' } })).status).toBe(201)
    const working = { state: 'in_progress', comment: 'On site' }
    const moved = await ask(`${path}/transition`, { ...as('manager'), body: working })
    expect(moved.json).toMatchObject({ state: 'in_progress', reporter: created.json.reporter })
    expect(await ask(`${path}/transition`, { ...as('manager'), body: { state: 'closed' } })).toMatchObject({
      status: 409,
      json: { code: 'CONFLICT', allowed: ['on_hold', 'resolved', 'cancelled'] },
    })
    const comments = (await ask(`${path}/comments`, as('user'))).json.data
    expect(comments.map(({ text }: { text: string }) => text)).toEqual(['Budget?', 'On site'])
    expect(new Set(comments.map(({ author }: { author: string }) => author)).size).toBe(2)
  })

  it('[DSK-02, DSK-06, DSK-08, DSK-28] lists the latest change first, for clients that poll', async () => {
    const words = encodeURIComponent('КОНДИЦИОНЕР tropf')
    const found = await ask(`?buildingId=${buildingId}&state=in_progress&search=${words}`, as('user'))
    expect(found.json).toMatchObject({ total: 1, page: 1, limit: 50, data: [{ category: 'hvac' }] })
    const other = await ask('', { ...as('accountant'), body: { buildingId, title: 'Later' } })
    const { updatedAt } = (await ask(`/${found.json.data[0].id}`)).json
    expect(other.json.updatedAt > updatedAt).toBe(true)
    expect((await ask('?limit=1')).json).toMatchObject({ total: 2, data: [{ id: other.json.id }] })
    expect(await ask('?updatedSince=2026-01-01T00:00:00Z')).toMatchObject({
      status: 400,
      json: { errors: [{ pointer: '/updatedSince' }] },
    })
  })
})
