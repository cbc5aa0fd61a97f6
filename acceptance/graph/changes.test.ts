import { ifcFile } from '@storey/ifc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type CallOptions, call } from '../system/call.ts'
import { signedIn } from '../system/service-accounts.ts'
import { api, newDeveloper, newSandbox } from '../system/shared.ts'

// biome-ignore lint/suspicious/noExplicitAny: records as a client sees them
type Row = any

describe('the graph of a sandbox', () => {
  let key: string
  let sandboxId: string
  let base: string
  let token: string
  beforeAll(async () => {
    key = (await newDeveloper()).key
    const { record, connection } = await newSandbox(key, { storeys: 2, spacesMin: 4, spacesMax: 4 })
    sandboxId = record.sandboxId
    base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
    token = connection.token
  })
  const ask = (path: string, options: CallOptions = {}): Promise<Answer> => call(base + path, { token, ...options })

  it('[GRF-03, GRF-22, GRF-30, GRF-31, REV-01] creates and deletes a room, its equipment and a point', async () => {
    const before = (await ask('')).json.revision
    const storeyId = (await ask('/storeys')).json.data[0].id
    const identity = { sourceSystem: 'cafm', externalId: 'R-1' }
    const room = await ask('/spaces', { body: { storeyId, name: 'New room', spaceTypeSlug: 'storage', ...identity } })
    expect(room.status).toBe(201)
    expect(room.headers.location).toContain(room.json.id)
    const spaceId = room.json.id
    const element = await ask('/elements', { body: { spaceId, name: 'Fan', elementTypeSlug: 'fan' } })
    const elementId = element.json.id
    const body = { elementId, pointType: 'SENSOR', name: 'T', quantityKind: 'Temperature', unit: 'LUX' }
    const wrong = await ask('/points', { body })
    expect(wrong.json).toMatchObject({ status: 400, validValues: expect.arrayContaining(['DEG_C']) })
    const point = await ask('/points', { body: { ...body, unit: 'DEG_C' } })
    expect(point.status).toBe(201)
    expect((await ask(`/spaces/${spaceId}`, { method: 'PATCH', body: { capacity: 3 } })).json.capacity).toBe(3)
    expect((await ask('')).json.revision).toBe(before + 4)
    expect((await ask(`/spaces/${spaceId}`, { method: 'DELETE' })).json).toMatchObject({ status: 409 })
    for (const path of [`/points/${point.json.id}`, `/elements/${elementId}`, `/spaces/${spaceId}`]) {
      expect((await ask(path, { method: 'DELETE' })).status).toBe(204)
      expect((await ask(path)).status).toBe(404)
    }
    const diff = await ask(`/diff?from=${before}`)
    expect(diff.json.changes).toEqual([])
  })

  it('[PRE-02, PRE-03, PRE-10] answers 304 and 412 through the gateway as the stack does', async () => {
    const graph = await ask('/graph')
    const again = (headers: Record<string, string>) => ask('/graph', { headers })
    const known = await again({ 'if-none-match': graph.headers.etag as string })
    expect([known.status, known.text, known.headers.etag]).toEqual([304, '', graph.headers.etag])
    const path = `/spaces/${(await ask('/spaces')).json.data[0].id}`
    const etag = (await ask(path)).headers.etag as string
    const rename = (name: string) => ask(path, { method: 'PATCH', body: { name }, headers: { 'if-match': etag } })
    const both = await Promise.all([rename('One'), rename('Two')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
    expect((await again({ 'if-none-match': graph.headers.etag as string })).status).toBe(200)
  })

  it('[CHG-01, CHG-04, CHG-05, CHG-06, CHG-07, CHG-09, CHG-12, CHG-13] is changed by one person and reviewed by another', async () => {
    const author = await signedIn(key, sandboxId, 'manager', 'Author')
    const reviewer = await signedIn(key, sandboxId, 'admin', 'Reviewer')
    const space = (await ask('/spaces')).json.data[0]
    const graph = (await ask('/graph')).json
    const operations = [
      { op: 'update', kind: 'space', id: space.id, data: { name: 'Reviewed' } },
      { op: 'create', kind: 'element', data: { spaceId: space.id, name: 'Reviewed fan', elementTypeSlug: 'fan' } },
    ]
    const draft = () => ask('/changesets', { token: author, body: { title: 'Works', operations } })
    const [first, second] = [(await draft()).json, (await draft()).json]
    expect(first).toMatchObject({ state: 'draft' })
    const step = (id: string, name: string, by: string, body?: object) =>
      ask(`/changesets/${id}/${name}`, { token: by, method: 'POST', ...(body ? { body } : {}) })
    for (const { id } of [first, second]) {
      expect((await step(id, 'submit', author)).json.state).toBe('submitted')
      expect((await step(id, 'review', author, { decision: 'approve' })).json.code).toBe('PERMISSION_DENIED')
      expect((await step(id, 'review', reviewer, { decision: 'approve' })).json.state).toBe('approved')
    }
    expect((await step(first.id, 'apply', author)).json.state).toBe('applied')
    expect((await ask(`/spaces/${space.id}`)).json.name).toBe('Reviewed')
    const refused = await step(second.id, 'apply', author)
    expect(refused.json).toMatchObject({ status: 409, nodeIds: expect.arrayContaining([space.id]) })
    expect((await step(first.id, 'revert', author)).json.state).toBe('reverted')
    const { revision: _a, at: _b, ...was } = graph
    const { revision: _c, at: _d, ...is } = (await ask('/graph')).json
    expect(is).toEqual(was)
  })

  it('[IMP-01, IMP-05, IMP-06, IMP-08] imports rows as JSON and as CSV', async () => {
    const space = (await ask('/spaces')).json.data[0]
    const csv = `externalId;spaceExternalId;elementType;name\nA-1;${space.externalId};fan;"Fan; the first"\n`
    const headers = { 'content-type': 'text/csv' }
    const path = '/import/elements?sourceSystem=cmms'
    expect((await ask(`${path}&dryRun=true`, { body: csv, headers })).json).toMatchObject({ created: 1, dryRun: true })
    expect((await ask(path, { body: csv, headers })).json).toMatchObject({ created: 1, updated: 0, unchanged: 0 })
    const row = { externalId: 'A-1', spaceId: space.id, elementType: 'fan', name: 'Fan; the first' }
    const again = await ask('/import/elements', { body: { sourceSystem: 'cmms', elements: [row] } })
    expect(again.json).toMatchObject({ created: 0, updated: 0, unchanged: 1 })
  })

  it('[IMP-11, IMP-15, IMP-16, IMP-21] imports a building model, and refuses a broken one', async () => {
    const model = ifcFile({ storeys: [{ name: 'Annex', spaces: [{ name: 'A1', longName: 'Workshop' }] }] })
    const headers = { 'content-type': 'application/x-step' }
    const bring = async (body: string): Promise<Row> => {
      const { status, json } = await ask('/import/ifc', { body, headers })
      expect(status).toBe(202)
      for (;;) {
        const read = await ask(`/imports/${json.importId}`)
        if (['succeeded', 'failed'].includes(read.json.status)) return read.json
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
    expect(await bring(model)).toMatchObject({ status: 'succeeded', counts: { spaces: { created: 1 } } })
    expect(await bring(model.slice(0, -40))).toMatchObject({ status: 'failed', failureReason: expect.any(String) })
    const rooms = (await ask('/spaces?limit=200')).json.data
    expect(rooms.find((room: Row) => room.code === 'A1')).toMatchObject({ sourceSystem: 'ifc', name: 'Workshop' })
  })

  it('[SBX-44, SBX-45, REV-03] has its initial state after a reset, without later changes', async () => {
    const kept = await createRecords()
    expect(await kept()).toEqual([1, 1, 1, 1, 1])
    const nodes = ({ storeys, spaces, elements, points }: Row) => ({ storeys, spaces, elements, points })
    const first = nodes((await ask('/graph?at=1')).json)
    await api(key, `/api/v1/sandboxes/${sandboxId}/reset`, { method: 'POST' })
    for (;;) {
      const { json } = await api(key, `/api/v1/sandboxes/${sandboxId}`)
      if (json.status === 'ready') break
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const again = (await ask('/graph')).json
    expect(again.revision).toBe(1)
    const ids = (graph: Row) =>
      Object.values(graph)
        .flatMap((list) => (list as Row[]).map(({ id }) => id))
        .sort()
    expect(ids(nodes(again))).toEqual(ids(first))
    expect(await kept()).toEqual([0, 0, 0, 0, 0])
  })

  /** Creates a record of each of five kinds that a reset removes, and returns a function that counts them by kind. */
  async function createRecords(): Promise<() => Promise<number[]>> {
    const [apiUrl = '', buildingId = ''] = base.split('/api/v1/buildings/')
    const manifest = { slug: 'trace', name: 'Trace', version: '1.0.0', sdkVersion: '1.14.0' }
    const remoteEntryUrl = 'http://localhost:6001/assets/remoteEntry.js'
    const records: [path: string, body: unknown, create?: string][] = [
      ['/api/v1/webhooks', { url: 'http://localhost:9/', events: ['building.alarm.triggered'] }],
      [`/api/v1/buildings/${buildingId}/data-layers`, { key: 'trace', name: 'Trace', valueType: 'NUMBER' }],
      ['/api/v1/registry/modules', { manifest, remoteEntryUrl }, '/api/v1/registry/modules/ingest'],
      ['/api/v1/licenses', { moduleSlug: 'trace', buildingId }],
      ['/api/service-desk/requests', { buildingId, title: 'Trace', category: 'other', priority: 'low' }],
    ]
    for (const [path, body, create = path] of records) {
      expect({ path, status: (await call(apiUrl + create, { token, body })).status }).toEqual({ path, status: 201 })
    }
    return () => Promise.all(records.map(async ([path]) => (await call(apiUrl + path, { token })).json.total))
  }
})
