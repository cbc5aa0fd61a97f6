import type { GraphNode, HistoryEntry, NodeKind } from '@storey/contract'
import { movableClock } from '@storey/kit/clock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let base: string
const clock = movableClock(new Date('2026-03-02T08:00:00.000Z'))
beforeAll(async () => {
  stack = await startTestStack({}, {}, clock)
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
})
afterAll(() => stack.close())

const graph = async (at?: string | number) => {
  const { status, body } = await stack.get(`${base}/graph${at === undefined ? '' : `?at=${encodeURIComponent(at)}`}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const revision = async () => (await stack.get(base)).body.revision as number
const spaceBody = (name: string) => ({
  storeyId: stack.idOf(stack.building.storeys[0]!.key),
  name,
  spaceTypeSlug: 'storage',
})
async function newSpace(name: string): Promise<string> {
  clock.advance(60_000)
  const made = await stack.send('POST', `${base}/spaces`, spaceBody(name))
  expect(made.status).toBe(201)
  return made.body.id
}

describe('GET …/graph', () => {
  it('[REV-02] returns the current graph', async () => {
    const { storeys, spaces, elements, points, ...head } = await graph()
    expect(head).toEqual({
      buildingId: stack.seeded.buildingId,
      revision: await revision(),
      at: expect.stringMatching(/Z$/),
    })
    const generated = stack.building
    expect([storeys.length, spaces.length, elements.length, points.length]).toEqual([
      generated.storeys.length,
      generated.spaces.length,
      generated.elements.length,
      generated.points.length,
    ])
    const space = generated.spaces[3]!
    expect(spaces.find((s: GraphNode) => s.id === stack.idOf(space.key))).toEqual({
      id: stack.idOf(space.key),
      externalId: space.globalId,
      externalIds: [{ sourceSystem: 'ifc', externalId: space.globalId }],
      sourceSystem: 'ifc',
      code: space.code,
      createdAt: '2026-03-01T08:00:00.000Z',
      updatedAt: '2026-03-01T08:00:00.000Z',
      storeyId: stack.idOf(space.storeyKey),
      name: space.name,
      spaceTypeSlug: space.spaceType,
      areaSqm: space.areaSqm,
      status: space.status,
      isLeasable: space.isLeasable,
      capacity: space.capacity,
      polygon: space.polygon,
    })
    const codes = spaces.map((s: GraphNode) => s.code)
    expect(codes).toEqual(codes.toSorted())
  })

  it('[REV-03, REV-04] returns the graph at a revision, an instant or a snapshot, without later changes', async () => {
    const before = await graph()
    const saved = await stack.send('POST', `${base}/snapshots`, { name: 'before the works' })
    expect(saved.status).toBe(201)
    const from = clock.now().toISOString()
    const id = await newSpace('Later')
    await stack.send('PATCH', `${base}/storeys/${stack.idOf(stack.building.storeys[0]!.key)}`, { name: 'Renamed' })
    const after = await graph()
    expect(after.spaces.some((s: GraphNode) => s.id === id)).toBe(true)
    for (const at of [before.revision, 'before the works', from, from.replace('Z', '+00:00')]) {
      expect(await graph(at), String(at)).toEqual(before)
    }
    await stack.send('DELETE', `${base}/spaces/${id}`)
    expect(await graph(after.revision)).toEqual(after)
    clock.advance(60_000)
    expect((await graph(clock.now().toISOString())).revision).toBe(await revision())
  })

  it.each(['0', '999999', '-1', '1.5', 'no such snapshot', '2020-01-01T00:00:00Z', '9'.repeat(40)])(
    '[REV-03] responds with 404 for at=%s',
    async (at) => {
      const { status, body } = await stack.get(`${base}/graph?at=${encodeURIComponent(at)}`)
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
    },
  )

  it.each([
    '2026-03-02T08:00:00',
    '2026-02-30T00:00:00Z',
    '2026-03-02',
    '2026-W10-1T00:00:00Z',
    '2026-03-02T08:00:00+99:00',
  ])('[ERR-06, REV-03] refuses at=%s, which is not an instant', async (at) => {
    const { status, body } = await stack.get(`${base}/graph?at=${encodeURIComponent(at)}`)
    expect({ status, pointer: body.errors?.[0].pointer }).toEqual({ status: 400, pointer: '/at' })
  })

  it('returns Turtle when requested', async () => {
    const byFormat = await stack.get(`${base}/graph?format=turtle`)
    expect(byFormat.headers['content-type']).toContain('text/turtle')
    expect((await stack.get(`${base}/graph?format=xml`)).body.errors).toMatchObject([{ pointer: '/format' }])
  })
})

describe('GET …/diff', () => {
  it('[REV-07, REV-08] returns the changes that turn the graph at `from` into the graph at `to`, in both directions, for numbers, instants and snapshots', async () => {
    const first = await graph()
    await stack.send('POST', `${base}/snapshots`, { name: 'first' })
    const kept = await newSpace('Kept')
    const deleted = await newSpace('Deleted')
    await stack.send('PATCH', `${base}/spaces/${kept}`, { capacity: 4 })
    await stack.send('DELETE', `${base}/spaces/${deleted}`)
    clock.advance(60_000)
    const last = await graph()
    for (const [from, to] of [
      ['first', String(last.revision)],
      [String(first.revision), clock.now().toISOString()],
    ]) {
      const query = `from=${from}&to=${encodeURIComponent(to!)}`
      const { status, body } = await stack.get(`${base}/diff?${query}`)
      expect(status).toBe(200)
      expect(body.changes).toHaveLength(1)
      expect(applyChanges(first, body.changes)).toEqual(nodesOf(last))
    }
    const { body: back } = await stack.get(`${base}/diff?from=${last.revision}&to=first`)
    expect(back.changes).toMatchObject([{ op: 'delete', kind: 'space', nodeId: kept, after: null }])
    expect(applyChanges(last, back.changes)).toEqual(nodesOf(first))
    expect((await stack.get(`${base}/diff?to=first`)).body.errors).toMatchObject([{ pointer: '/from' }])
    expect((await stack.get(`${base}/diff?from=nothing`)).status).toBe(404)
  })
})

const LISTS = { storey: 'storeys', space: 'spaces', element: 'elements', point: 'points' } as const
type GraphBody = Record<(typeof LISTS)[NodeKind], GraphNode[]>
const nodesOf = (graph: GraphBody) =>
  new Map(Object.entries(LISTS).flatMap(([kind, list]) => graph[list].map((node) => [`${kind} ${node.id}`, node])))

/** The nodes of a graph after these changes. */
function applyChanges(graph: GraphBody, changes: HistoryEntry[]) {
  const nodes = nodesOf(graph)
  for (const { kind, nodeId, after } of changes) {
    if (after === null) nodes.delete(`${kind} ${nodeId}`)
    else nodes.set(`${kind} ${nodeId}`, after)
  }
  return nodes
}

describe('GET …/history and GET …/revisions', () => {
  it('[REV-05] return each change with its revision, actor, and the node before and after', async () => {
    const id = await newSpace('Office')
    await stack.send('PATCH', `${base}/spaces/${id}`, { name: 'Renamed' })
    const { body } = await stack.get(`${base}/history?nodeId=${id}`)
    expect(body).toMatchObject({ total: 2, limit: 50, offset: 0 })
    const [second, first] = body.data
    expect(second).toMatchObject({ op: 'update', kind: 'space', nodeId: id, actor: 'sandbox', changesetId: null })
    expect(second.before).toEqual(first.after)
    expect(second.after).toMatchObject({ name: 'Renamed' })
    expect(first).toMatchObject({ op: 'create', before: null, revision: second.revision - 1 })
    expect(second.summary).toContain('name')
  })

  it('[REV-06] filter changes by kind and changeset, and refuse unknown filters and invalid values', async () => {
    const storeyId = stack.idOf(stack.building.storeys[1]!.key)
    await stack.send('PATCH', `${base}/storeys/${storeyId}`, { elevationM: 7 })
    const kinds = (await stack.get(`${base}/history?kind=storey&limit=1000`)).body
    expect(kinds.total).toBeGreaterThan(0)
    expect(new Set(kinds.data.map((e: HistoryEntry) => e.kind))).toEqual(new Set(['storey']))
    const none = await stack.get(`${base}/history?changesetId=0191b6a0-0000-7000-8000-000000000000`)
    expect(none.body).toMatchObject({ total: 0, data: [] })
    expect((await stack.get(`${base}/history?changesetId=x`)).status).toBe(400)
    expect((await stack.get(`${base}/history?kind=wall`)).status).toBe(400)
    expect((await stack.get(`${base}/history?updatedSince=1`)).status).toBe(400)
  })

  it('have the seeding as the oldest entry of a seeded node', async () => {
    const element = stack.building.elements[0]!
    const id = stack.idOf(element.key)
    const untouched = (await stack.get(`${base}/history?nodeId=${id}`)).body
    expect(untouched).toMatchObject({ total: 1, data: [{ revision: 1, op: 'create', actor: 'seed', before: null }] })
    await stack.send('PATCH', `${base}/elements/${id}`, { name: 'Other' })
    const touched = (await stack.get(`${base}/history?nodeId=${id}&limit=1&offset=1`)).body
    expect(touched).toMatchObject({ total: 2, data: [{ revision: 1, after: { name: element.name } }] })
    expect((await stack.get(`${base}/history?nodeId=${id}&kind=space`)).body.total).toBe(0)
  })

  it('list the revisions, newest first', async () => {
    const { body } = await stack.get(`${base}/revisions?limit=200`)
    expect(body.total).toBe(await revision())
    expect(body.data.at(-1)).toMatchObject({ revision: 1, actor: 'seed', changes: 0 })
    expect(body.data[0].changes).toBe(1)
  })

  it('respond with 404 for an unknown building, as …/graph, …/diff and …/snapshots do', async () => {
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'nothing']) {
      for (const path of ['graph', 'history', 'revisions', 'diff?from=1', 'snapshots']) {
        expect((await stack.get(`/api/v1/buildings/${id}/${path}`)).status, path).toBe(404)
      }
    }
  })

  it('require a credential, as …/graph, …/diff and …/snapshots do', async () => {
    for (const path of ['graph', 'history', 'revisions', 'diff?from=1', 'snapshots']) {
      expect((await stack.get(`${base}/${path}`, null)).status, path).toBe(401)
    }
  })
})
