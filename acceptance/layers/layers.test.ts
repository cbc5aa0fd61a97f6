import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type CallOptions, call } from '../system/call.ts'
import { signedIn } from '../system/service-accounts.ts'
import { newDeveloper, newSandbox } from '../system/shared.ts'

describe('data layers, through the running system', () => {
  let base: string
  let administrator: string
  const tokens = new Map<string, string>()
  beforeAll(async () => {
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key, { storeys: 2, spacesMin: 6, spacesMax: 6 })
    base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
    administrator = connection.token
    for (const role of ['user', 'building-graph-writer']) tokens.set(role, await signedIn(key, record.sandboxId, role))
  })
  const ask = (path: string, options: CallOptions = {}): Promise<Answer> =>
    call(base + path, { token: administrator, ...options })

  it('[LAY-01, LAY-17, LAY-36, LAY-42, LEG-01, PRM-15] store what a graph writer uploads, and are read by a user', async () => {
    const writer = { token: tokens.get('building-graph-writer')! }
    const body = { key: 'occupancy', name: 'Occupancy', valueType: 'ENUM', valueSchema: { enum: ['free', 'busy'] } }
    const created = await ask('/data-layers', { ...writer, body })
    expect(created.status).toBe(201)
    const rooms: { id: string; externalId: string }[] = (await ask('/spaces')).json.data
    const values = Object.fromEntries(rooms.map((room, i) => [room.externalId, i % 3 === 0 ? 'busy' : 'free']))
    const path = `/data-layers/${created.json.id}`
    const put = (upload: object, who = writer) => ask(`${path}/values`, { ...who, method: 'PUT', body: upload })
    expect((await put({ values: { ...values, unknown: 'free' } })).json).toEqual({
      written: rooms.length,
      matched: rooms.length,
      unmatched: ['unknown'],
      deleted: 0,
    })
    expect((await put({ values: { ...values, [rooms[0]!.externalId]: 'closed' } })).json).toMatchObject({
      status: 400,
      code: 'VALUE_SCHEMA_MISMATCH',
      key: rooms[0]!.externalId,
    })
    expect((await put({ values: { unknown: 'free' } })).json).toMatchObject({
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
