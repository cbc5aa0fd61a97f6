import { holds, PERMISSIONS, type Permission, ROLES, type Role } from '@storey/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type CallOptions, call } from '../system/call.ts'
import { signedIn } from '../system/service-accounts.ts'
import { newDeveloper, newSandbox } from '../system/shared.ts'

const NOBODY = '0191b6a0-0000-7000-8000-000000000000'

/** A call for each thing one may do with layers, made so that whoever may make it changes nothing. */
const CALLS: readonly [Permission, string, string, CallOptions, number][] = [
  ['building.layers:read', 'list layers', '', {}, 200],
  ['building.layers:read', 'read a layer', `/${NOBODY}`, {}, 404],
  ['building.layers:read', 'read values', `/${NOBODY}/values`, {}, 404],
  ['building.layers:read', 'read a legend', `/${NOBODY}/legend`, {}, 404],
  ['building.layers:write', 'create a layer', '', { body: {} }, 400],
  ['building.layers:write', 'change a layer', `/${NOBODY}`, { method: 'PATCH', body: { name: 'x' } }, 404],
  ['building.layers:write', 'delete a layer', `/${NOBODY}`, { method: 'DELETE' }, 404],
  ['building.layers:write', 'upload values', `/${NOBODY}/values`, { method: 'PUT', body: { values: {} } }, 404],
]

describe('data layers, through the running system', () => {
  let base: string
  let administrator: string
  const tokens = new Map<Role, string>()
  beforeAll(async () => {
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key, { storeys: 2, spacesMin: 6, spacesMax: 6 })
    base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
    administrator = connection.token
    for (const role of ROLES) tokens.set(role, await signedIn(key, record.sandboxId, role))
  })
  const ask = (path: string, options: CallOptions = {}): Promise<Answer> =>
    call(base + path, { token: administrator, ...options })

  it.each(CALLS)('[PRM-08, PRM-15] %s: %s', async (permission, _, path, options, status) => {
    expect((await ask(`/data-layers${path}`, options)).status).toBe(status)
    for (const [role, token] of tokens) {
      const answer = await call(`${base}/data-layers${path}`, { token, ...options })
      const may = holds([role], permission)
      expect({ role, status: answer.status }).toEqual({ role, status: may ? status : 403 })
      if (!may) expect(answer.json).toMatchObject({ code: 'PERMISSION_DENIED' })
    }
    expect((await call(`${base}/data-layers${path}`, options)).status).toBe(401)
  })

  it('[PRM-08] only managers and graph writers write layers', () => {
    expect(PERMISSIONS['building.layers:write']).toEqual(['manager', 'building-graph-writer'])
  })

  it('[LAY-01, LAY-17, LAY-36, LAY-42, LEG-01, PRM-15] keeps what a manager uploads, for everyone to read', async () => {
    const writer = { token: tokens.get('building-graph-writer')! }
    const body = { key: 'occupancy', name: 'Occupancy', valueType: 'ENUM', valueSchema: { enum: ['free', 'busy'] } }
    const made = await ask('/data-layers', { ...writer, body })
    expect(made.status).toBe(201)
    const rooms: { id: string; externalId: string }[] = (await ask('/spaces')).json.data
    const values = Object.fromEntries(rooms.map((room, i) => [room.externalId, i % 3 === 0 ? 'busy' : 'free']))
    const path = `/data-layers/${made.json.id}`
    const put = (upload: object, who = writer) => ask(`${path}/values`, { ...who, method: 'PUT', body: upload })
    expect((await put({ values: { ...values, stranger: 'free' } })).json).toEqual({
      written: rooms.length,
      matched: rooms.length,
      unmatched: ['stranger'],
      deleted: 0,
    })
    expect((await put({ values: { ...values, [rooms[0]!.externalId]: 'closed' } })).json).toMatchObject({
      status: 400,
      code: 'VALUE_SCHEMA_MISMATCH',
      key: rooms[0]!.externalId,
    })
    expect((await put({ values: { stranger: 'free' } })).json).toMatchObject({
      written: 0,
      diagnostics: { reason: 'IDENTIFIERS_NOT_IN_BUILDING' },
    })

    const user = { token: tokens.get('user')! }
    const busy = (await ask(`${path}/values?eq=busy&limit=2`, user)).json
    expect(busy).toMatchObject({ total: Math.ceil(rooms.length / 3), limit: 2, offset: 0 })
    expect(busy.data.map((row: { value: string }) => row.value)).toEqual(['busy', 'busy'])
    const { source, entries } = (await ask(`${path}/legend`, user)).json
    expect(source).toBe('derived')
    expect(entries.map((entry: { label: string }) => entry.label)).toEqual(['busy', 'free'])

    expect((await put({ keyBy: 'id', replace: true, values: { [rooms[0]!.id]: 'free' } })).json).toMatchObject({
      written: 1,
      deleted: rooms.length,
    })
    expect((await ask(path, { ...writer, method: 'DELETE' })).status).toBe(204)
    expect((await ask(path, user)).status).toBe(404)
  })
})
