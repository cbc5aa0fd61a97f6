import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startTestStack, type TestStack } from './testing/test-stack.ts'

type Send = [method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown]

interface Kind {
  /** Returns the path of a new record, or of the existing record if no other can be created. */
  path(): Promise<string>
  /** A change of the record. Each `n` gives a different change. */
  change(path: string, n: number): Send
  /** Absent if the record cannot be deleted. */
  remove?: (path: string) => Send
}

let stack: TestStack
let at: string
beforeAll(async () => {
  stack = await startTestStack()
  at = `/api/v1/buildings/${stack.seeded.buildingId}`
})
afterAll(() => stack.close())

const send = ([method, path, body]: Send, headers: Record<string, string> = {}): Promise<Answer> =>
  stack.send(method, path, body, undefined, headers)
const read = (path: string, headers: Record<string, string> = {}) =>
  stack.send('GET', path, undefined, undefined, headers)
const tagAt = async (path: string) => String((await read(path)).headers.etag)

async function create(all: string, body: unknown, idOf = (record: Answer['body']) => record.id): Promise<string> {
  const made = await send(['POST', all, body])
  expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201, headers: { etag: expect.any(String) } })
  return `${all}/${idOf(made.body)}`
}

const rename = (path: string, n: number): Send => ['PATCH', path, { name: `Name ${n}` }]
const remove = (path: string): Send => ['DELETE', path]
let made = 0
const newRoom = () => ({
  ...{ storeyId: stack.idOf(stack.building.storeys[0]!.key), name: `Room ${++made}` },
  spaceTypeSlug: 'meeting-room',
})
const newElement = () => ({
  ...{ storeyId: stack.idOf(stack.building.storeys[0]!.key), name: `Fan ${++made}`, elementTypeSlug: 'fan-coil-unit' },
})
const newLayer = () => ({ key: `layer-${++made}`, name: 'Layer', valueType: 'NUMBER' })
const manifest = { name: 'Board', version: '0.1.0', sdkVersion: '1.14.0', buildingTypes: ['office'] }
const remoteEntryUrl = 'http://localhost:6001/assets/remoteEntry.js'
const newRule = () => ({
  ...{ kind: 'threshold', name: `Rule ${++made}`, severity: 'minor', quantityKind: 'Temperature', above: 30 },
})
const newDraft = () => ({ title: `Draft ${++made}`, operations: [{ op: 'create', kind: 'space', data: newRoom() }] })
const newPoint = () => {
  const { unit, quantityKind } = stack.building.points[0]!
  const elementId = stack.idOf(stack.building.elements[0]!.key)
  return { elementId, name: `Point ${++made}`, pointType: 'SENSOR', quantityKind, unit }
}

const KINDS: Record<string, Kind> = {
  storey: { path: () => create(`${at}/storeys`, { name: 'Roof', index: 90 + ++made }), change: rename, remove },
  space: { path: () => create(`${at}/spaces`, newRoom()), change: rename, remove },
  element: { path: () => create(`${at}/elements`, newElement()), change: rename, remove },
  point: { path: () => create(`${at}/points`, newPoint()), change: rename, remove },
  'external ids': {
    path: () => create(`${at}/spaces`, newRoom()),
    change: (path, n) => ['POST', `${path}/external-ids`, { sourceSystem: 'bms', externalId: `${path} ${n}` }],
  },
  'data layer': { path: () => create(`${at}/data-layers`, newLayer()), change: rename, remove },
  'values of a layer': {
    path: async () => `${await create(`${at}/data-layers`, newLayer())}/values`,
    change: (path, n) => ['PUT', path, { keyBy: 'id', values: { [stack.idOf(stack.building.spaces[0]!.key)]: n } }],
  },
  'fault rule': { path: () => create(`${at}/fault-rules`, newRule()), change: rename, remove },
  webhook: {
    path: () => create('/api/v1/webhooks', { url: 'http://127.0.0.1:9/x', events: ['building.point.updated'] }),
    change: (path, n) => ['PATCH', path, { url: `http://127.0.0.1:9/${n}` }],
    remove,
  },
  'secret of a webhook': {
    path: () => create('/api/v1/webhooks', { url: 'http://127.0.0.1:9/x', events: ['building.point.updated'] }),
    change: (path) => ['POST', `${path}/rotate-secret`],
  },
  changeset: {
    path: () => create(`${at}/changesets`, newDraft()),
    change: (path, n) => ['PATCH', path, { title: `Title ${n}` }],
  },
  'service request': {
    path: () => create('/api/service-desk/requests', { buildingId: stack.seeded.buildingId, title: 'Cold' }),
    change: (path, n) => ['PATCH', path, { title: `Cold ${n}` }],
  },
  module: {
    path: async () => {
      const slug = `board-${++made}`
      await create('/api/v1/registry/modules/ingest', { manifest: { ...manifest, slug }, remoteEntryUrl })
      return `/api/v1/registry/modules/${slug}`
    },
    change: (path, n) => {
      const slug = path.split('/').at(-1)
      return [
        'POST',
        '/api/v1/registry/modules/ingest',
        { manifest: { ...manifest, slug, name: `N ${n}` }, remoteEntryUrl },
      ]
    },
    remove,
  },
  settings: {
    path: async () => '/api/v1/settings',
    change: (path, n) => ['PATCH', path, { telemetryRetentionDays: 100 + n }],
  },
  simulation: { path: async () => `${at}/simulation`, change: (path, n) => ['POST', path, { speed: 2 + n }] },
}

describe.each(Object.entries(KINDS))('the %s', (_name, kind) => {
  it('[PRE-07] is changed by one of three writers that expect the same version, and the others get 412', async () => {
    const path = await kind.path()
    const etag = await tagAt(path)
    expect(etag).toMatch(/^"[\w-]+\.[\w-]{22}"$/)
    const writers = [1, 2, 3].map((n) => send(kind.change(path, n), { 'if-match': etag }))
    const answers = (await Promise.all(writers)).sort((a, b) => a.status - b.status)
    expect(answers.map(({ status }) => (status === 201 ? 200 : status))).toEqual([200, 412, 412])
    expect(answers[1]!.body).toMatchObject({ code: 'PRECONDITION_FAILED', header: 'If-Match' })
    // The version in the response is that of the record, so that the client can continue with it.
    const next = String(answers[0]!.headers.etag)
    expect(next.split('.')[0]).toBe((await tagAt(path)).split('.')[0])
    expect((await send(kind.change(path, 4), { 'if-match': next })).status).toBeLessThan(300)
    expect((await send(kind.change(path, 5))).status).toBeLessThan(300)
    expect((await send(kind.change(path, 6), { 'if-match': 'nothing' })).status).toBe(400)
  })

  it('[PRE-08] is deleted only in the expected version, if it can be deleted', async () => {
    if (!kind.remove) return
    const path = await kind.path()
    const etag = await tagAt(path)
    const changed = await send(kind.change(path, 1))
    expect((await send(kind.remove(path), { 'if-match': etag })).status).toBe(412)
    expect((await read(path)).status).toBe(200)
    expect((await send(kind.remove(path), { 'if-match': String(changed.headers.etag) })).status).toBe(204)
    expect((await send(kind.remove(path), { 'if-match': '*' })).status).toBe(404)
  })
})

describe('transitions', () => {
  it('[PRE-09] of a service request and of a changeset accept If-Match', async () => {
    const request = await KINDS['service request']!.path()
    const draft = await KINDS.changeset!.path()
    const moves: [path: string, move: Send][] = [
      [request, ['POST', `${request}/transition`, { state: 'cancelled' }]],
      [draft, ['POST', `${draft}/submit`]],
      [draft, ['POST', `${draft}/review`, { decision: 'approve' }]],
      [draft, ['POST', `${draft}/apply`]],
      [draft, ['POST', `${draft}/revert`]],
    ]
    for (const [path, move] of moves) {
      expect((await send(move, { 'if-match': '"1.x"' })).status, move[1]).toBe(412)
      const expected = { 'if-match': await tagAt(path) }
      const both = await Promise.all([1, 2].map(() => send(move, expected)))
      expect(both.map(({ status }) => status).sort(), move[1]).toEqual([200, 412])
    }
  })
})

describe('records that never change', () => {
  it('[PRE-08] are deleted only if they are the expected ones', async () => {
    const slug = (await KINDS.module!.path()).split('/').at(-1)
    const { buildingId } = stack.seeded
    const license = await create('/api/v1/licenses', { moduleSlug: slug, buildingId }, ({ licenseId }) => licenseId)
    const snapshots = `${at}/snapshots`
    const named = async () => {
      await create(snapshots, { name: 'again' })
      return `${snapshots}/again`
    }
    const first = await tagAt(await named())
    for (const path of [license, `${snapshots}/again`]) {
      const etag = await tagAt(path)
      expect((await send(remove(path), { 'if-match': '"x.y"' })).status).toBe(412)
      expect((await send(remove(path), { 'if-match': etag })).status).toBe(204)
    }
    // The tag belongs to the first record, and this is another record with the same name.
    expect((await send(remove(await named()), { 'if-match': first })).status).toBe(412)
  })
})

describe('a module', () => {
  it('is registered with If-None-Match: * only if it is new, and with If-Match: * only if it exists', async () => {
    const ingest = (slug: string, headers: Record<string, string>) =>
      send(['POST', '/api/v1/registry/modules/ingest', { manifest: { ...manifest, slug }, remoteEntryUrl }], headers)
    expect((await ingest('only-new', { 'if-match': '*' })).status).toBe(412)
    expect((await ingest('only-new', { 'if-none-match': '*' })).status).toBe(201)
    expect((await ingest('only-new', { 'if-none-match': '*' })).status).toBe(412)
    expect((await ingest('only-new', { 'if-match': '*' })).status).toBe(200)
  })
})

describe('GET', () => {
  it('[PRE-10] of graph, catalogs and layers responds with 304 if nothing has changed, else with 200', async () => {
    const layer = await KINDS['data layer']!.path()
    const room = await KINDS.space!.path()
    const upload = { keyBy: 'id', values: { [room.split('/').at(-1)!]: 7 } }
    await send(['PUT', `${layer}/values`, upload])
    const graph = [at, '/api/v1/buildings', `${at}/graph`, `${at}/graph?format=turtle`, `${at}/spaces?limit=500`, room]
    const layers = [`${at}/data-layers`, layer, `${layer}/values`, `${layer}/legend`]
    const all = [...graph, ...layers, '/api/v1/catalogs/units', `${at}/diff?from=1&to=2`]
    const before = await Promise.all(all.map(tagAt))
    const again = (path: string) => read(path, { 'if-none-match': before[all.indexOf(path)]! })
    for (const path of all) {
      const known = await again(path)
      expect([known.status, known.body], path).toEqual([304, ''])
      expect(known.headers.etag).toBe(before[all.indexOf(path)])
    }
    const whole = await read(`${at}/graph`, { 'if-none-match': before[all.indexOf(`${at}/graph?format=turtle`)]! })
    expect(whole.status).toBe(200)
    // The response for a room contains its storey.
    const { storey } = (await read(room)).body
    await send(['PATCH', `${at}/storeys/${storey.id}`, { name: 'Another name' }])
    await send(['PUT', `${layer}/values`, { ...upload, values: { [room.split('/').at(-1)!]: 8 } }])
    for (const path of [...graph, ...layers]) expect((await again(path)).status, path).toBe(200)
    expect((await again(`${at}/diff?from=1&to=2`)).status).toBe(304)
  })

  it('[PRE-03] of a room and a layer returns tags that If-Match still accepts after the storey is renamed and values are written', async () => {
    const room = await KINDS.space!.path()
    const layer = await KINDS['data layer']!.path()
    const [ofRoom, ofLayer] = [await tagAt(room), await tagAt(layer)]
    const { storey } = (await read(room)).body
    await send(['PATCH', `${at}/storeys/${storey.id}`, { name: 'Renamed' }])
    await send(['PUT', `${layer}/values`, { keyBy: 'id', values: { [room.split('/').at(-1)!]: 7 } }])
    expect((await send(rename(room, 1), { 'if-match': ofRoom })).status).toBe(200)
    expect((await send(rename(layer, 1), { 'if-match': ofLayer })).status).toBe(200)
  })
})

describe('the API', () => {
  it('[PRE-05] accepts If-Match on every operation that changes or deletes a record, except an injected fault', async () => {
    const { paths } = (await read('/api/v1/openapi.json')).body
    const writes = Object.entries<Record<string, { parameters?: { name: string }[] }>>(paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, { parameters = [] }]) => ({
          name: `${method} ${path.replace(/^\/api(\/v1)?/, '')}`,
          takes: parameters.some(({ name }) => name === 'If-Match'),
        })),
    )
    const without = writes.filter(({ name, takes }) => /^(patch|put|delete) /.test(name) && !takes)
    expect(without.map(({ name }) => name)).toEqual([
      // An injected fault can only be ended, and cannot be read by itself.
      'delete /buildings/{buildingId}/simulation/inject/{injectionId}',
    ])
    const posts = writes.filter(({ name, takes }) => name.startsWith('post ') && takes).map(({ name }) => name)
    const changeset = 'post /buildings/{buildingId}/changesets/{id}'
    expect(posts.sort()).toEqual(
      [
        ...['elements', 'points', 'spaces', 'storeys'].map(
          (kind) => `post /buildings/{buildingId}/${kind}/{id}/external-ids`,
        ),
        ...['submit', 'review', 'apply', 'revert'].map((step) => `${changeset}/${step}`),
        'post /accounts/{id}/reset-password',
        'post /buildings/{buildingId}/faults/{faultId}/acknowledge',
        'post /buildings/{buildingId}/simulation',
        'post /registry/modules/ingest',
        'post /service-desk/requests/{id}/transition',
        'post /webhooks/{webhookId}/reset-failures',
        'post /webhooks/{webhookId}/rotate-secret',
      ].sort(),
    )
  })
})
