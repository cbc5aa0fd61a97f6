import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NODE_PATHS, type NodePath, nodeBodies } from '../testing/node-bodies.ts'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'

let stack: TestStack
let base: string
let bodies: ReturnType<typeof nodeBodies>

beforeAll(async () => {
  stack = await startTestStack()
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
  bodies = nodeBodies(stack)
})
afterAll(() => stack.close())

const create = async (path: NodePath, changes: Record<string, unknown> = {}) =>
  stack.send('POST', `${base}/${path}`, { ...bodies[path], ...changes })
const createNode = async (path: NodePath, changes: Record<string, unknown> = {}) => {
  const answer = await create(path, changes)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}
const firstOf = (path: NodePath) => stack.idOf(stack.building[path][0]!.key)

/** Everything that a write changes. */
async function stateOf(buildingId = stack.seeded.buildingId) {
  return (await stack.db.row(sql`
    select b.revision, (select count(*)::int from revisions where building_id = b.id) as revisions,
      (select count(*)::int from node_changes where building_id = b.id) as changes,
      (select count(*)::int from nodes where building_id = b.id) as nodes,
      (select md5(string_agg(state::text, '' order by id)) from nodes where building_id = b.id) as states
    from buildings b where b.id = ${buildingId}`)) as Record<'revision' | 'revisions' | 'changes' | 'nodes', number>
}
async function makesOneRevision<T>(work: () => Promise<T>, by: { changes: number; nodes: number }): Promise<T> {
  const before = await stateOf()
  const done = await work()
  const { revision, revisions, changes, nodes } = await stateOf()
  expect({ revision, revisions, changes, nodes }).toEqual({
    revision: before.revision + 1,
    revisions: before.revisions + 1,
    changes: before.changes + by.changes,
    nodes: before.nodes + by.nodes,
  })
  return done
}
async function changesNothing<T>(work: () => Promise<T>): Promise<T> {
  const before = await stateOf()
  const done = await work()
  expect(await stateOf()).toEqual(before)
  return done
}
const lastChange = () =>
  stack.db.row(sql`
    select r.actor, c.node_id as "nodeId", c.before, c.after
    from revisions r join node_changes c using (building_id, revision)
    where building_id = ${stack.seeded.buildingId} order by revision desc limit 1`)

/** These tests are the same for all kinds of nodes. What differs between the kinds is tested in the features. */
describe.each(NODE_PATHS)('a node among the %s', (path) => {
  it('[GRF-03, GRF-30, REV-01] can be created, read, listed, changed and deleted, with a revision for each change', async () => {
    const { status, body, headers } = await makesOneRevision(() => create(path), { changes: 1, nodes: 1 })
    expect(status).toBe(201)
    const one = `${base}/${path}/${body.id}`
    expect(headers.location).toBe(one)
    expect((await stack.get(one)).body).toEqual(body)
    expect(await lastChange()).toMatchObject({
      actor: 'sandbox',
      nodeId: body.id,
      before: null,
      after: { name: 'New' },
    })

    const patched = await makesOneRevision(() => stack.send('PATCH', one, { name: 'Renamed' }), {
      changes: 1,
      nodes: 0,
    })
    expect(patched).toMatchObject({
      status: 200,
      body: { ...body, name: 'Renamed', updatedAt: patched.body.updatedAt },
    })
    expect((await stack.get(one)).body).toEqual(patched.body)
    expect(await lastChange()).toMatchObject({ before: { name: 'New' }, after: { name: 'Renamed', code: body.code } })
    const listed = await stack.get(`${base}/${path}?limit=200`)
    expect(listed.body.data.find((n: { id: string }) => n.id === body.id)).toEqual(patched.body)

    const gone = await makesOneRevision(() => stack.send('DELETE', one), { changes: 1, nodes: -1 })
    expect(gone).toMatchObject({ status: 204, body: '' })
    expect(await lastChange()).toMatchObject({ before: { name: 'Renamed' }, after: null })
    for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
      const answer = await changesNothing(() => stack.send(method, one, method === 'PATCH' ? { name: 'x' } : undefined))
      expect(answer, method).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
  })

  it('[GRF-31] changes only in the fields of the patch, and gets a later updatedAt', async () => {
    const before = (await stack.get(`${base}/${path}/${firstOf(path)}`)).body
    const { body } = await stack.send('PATCH', `${base}/${path}/${before.id}`, { name: 'Other', code: `OTHER-${path}` })
    expect(body).toEqual({ ...before, name: 'Other', code: `OTHER-${path}`, updatedAt: body.updatedAt })
    expect(Date.parse(body.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt))
  })

  it('[REV-01] does not change and gets no revision when the patch equals its state', async () => {
    const { body } = await create(path)
    const one = `${base}/${path}/${body.id}`
    const same = await changesNothing(() => stack.send('PATCH', one, { name: 'New', code: body.code }))
    expect(same).toMatchObject({ status: 200, body })
  })

  it('[GRF-19] gets a unique code when the body has none', async () => {
    const codes = [await createNode(path), await createNode(path), await createNode(path)].map(({ code }) => code)
    expect(new Set(codes).size).toBe(3)
    for (const code of codes) expect(code).toMatch(/^[A-Z][A-Z0-9-]*-\d+$/)
  })

  it('[GRF-19] gets the next free code if a client has used the code that would be next', async () => {
    const [prefix, n] = (await createNode(path)).code.split(/-(?=\d+$)/)
    await createNode('storeys', { code: `${prefix}-${Number(n) + 1}` })
    expect((await createNode(path)).code).toBe(`${prefix}-${Number(n) + 2}`)
  })

  it('[GRF-20, REV-01] cannot have the code of another node of any kind', async () => {
    const node = await createNode(path)
    for (const other of NODE_PATHS) {
      const { id, code } = await createNode(other)
      const conflict = { status: 409, body: { code: 'CONFLICT', field: 'code', nodeIds: [id] } }
      expect(await changesNothing(() => create(path, { code }))).toMatchObject(conflict)
      const patch = () => stack.send('PATCH', `${base}/${path}/${node.id}`, { code })
      expect(await changesNothing(patch)).toMatchObject(conflict)
    }
  })

  it('[GRF-20] may have the code of a node of another building, and the code of a deleted node', async () => {
    const code = `FREE-${path}`
    const elsewhere = await stack.send('POST', `/api/v1/buildings/${stack.other.buildingId}/storeys`, {
      ...{ name: 'x', index: 9, code },
    })
    expect(elsewhere.status).toBe(201)
    const node = await createNode(path, { code })
    await stack.send('DELETE', `${base}/${path}/${node.id}`)
    expect((await createNode(path, { code })).id).not.toBe(node.id)
  })

  it('is not found through another building', async () => {
    const elsewhere = stack.other.idOf(stack.other.building[path][0]!.key)
    const before = await stateOf(stack.other.buildingId)
    const calls = [
      stack.send('PATCH', `${base}/${path}/${elsewhere}`, { name: 'x' }),
      stack.send('DELETE', `${base}/${path}/${elsewhere}`),
      stack.send('POST', `${base}/${path}/${elsewhere}/external-ids`, { sourceSystem: 's', externalId: 'e' }),
    ]
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 404 })
    expect(await stateOf(stack.other.buildingId)).toEqual(before)
  })

  it('cannot be created, changed or deleted if the building or the node does not exist', async () => {
    for (const id of ['0191b6a0-0000-7000-8000-000000000000', 'not-a-uuid']) {
      const missing = `/api/v1/buildings/${id}/${path}`
      expect((await stack.send('POST', missing, bodies[path])).status).toBe(404)
      for (const one of [`${missing}/${firstOf(path)}`, `${base}/${path}/${id}`]) {
        expect((await stack.send('PATCH', one, { name: 'x' })).status).toBe(404)
        expect((await stack.send('DELETE', one)).status).toBe(404)
      }
    }
  })

  it('is not found as a node of another kind', async () => {
    const other = NODE_PATHS[(NODE_PATHS.indexOf(path) + 1) % NODE_PATHS.length]!
    const one = `${base}/${other}/${(await createNode(path)).id}`
    expect((await stack.send('PATCH', one, { name: 'x' })).status).toBe(404)
    expect((await stack.send('DELETE', one)).status).toBe(404)
  })

  it('can also be addressed by its UUID in upper case', async () => {
    const { id } = await createNode(path)
    const upper = `/api/v1/buildings/${stack.seeded.buildingId.toUpperCase()}/${path}/${id.toUpperCase()}`
    expect(await stack.send('PATCH', upper, { name: 'Loud' })).toMatchObject({
      status: 200,
      body: { id, name: 'Loud' },
    })
    expect((await stack.send('DELETE', upper)).status).toBe(204)
    expect((await stack.get(`${base}/${path}/${id}`)).status).toBe(404)
  })

  it.each(['externalId', 'code', 'sourceSystem'])('[GRF-26] cannot be looked up by %s', async (name) => {
    const { status, body } = await stack.get(`${base}/${path}?${name}=x`)
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [{ pointer: `/${name}`, in: 'query' }],
    })
  })
})

describe('a parent', () => {
  it.each([
    ['storeys', 'spaces', 'storeyId'],
    ['storeys', 'elements', 'storeyId'],
    ['spaces', 'elements', 'spaceId'],
    ['elements', 'points', 'elementId'],
  ] as const)('[GRF-30, REV-01] among the %s cannot be deleted while it has %s', async (path, below, field) => {
    const parent = await createNode(path)
    const child = await createNode(below, { spaceId: undefined, [field]: parent.id })
    const stays = await changesNothing(() => stack.send('DELETE', `${base}/${path}/${parent.id}`))
    expect(stays).toMatchObject({ status: 409, body: { code: 'CONFLICT', nodeIds: [parent.id] } })
    expect((await stack.send('DELETE', `${base}/${below}/${child.id}`)).status).toBe(204)
    expect((await stack.send('DELETE', `${base}/${path}/${parent.id}`)).status).toBe(204)
  })

  it.each([
    ['spaces', 'storeyId', 'storeys'],
    ['elements', 'spaceId', 'spaces'],
    ['elements', 'storeyId', 'storeys'],
    ['points', 'elementId', 'elements'],
  ] as const)(
    '[GRF-16, REV-01] of %s, given as %s, must be in the same building and of the right kind',
    async (path, field, of) => {
      const deleted = await createNode(of)
      await stack.send('DELETE', `${base}/${of}/${deleted.id}`)
      const elsewhere = stack.other.idOf(stack.other.building[of][0]!.key)
      const wrongKind = firstOf(of === 'storeys' ? 'spaces' : 'storeys')
      const node = await createNode(path)
      for (const id of [elsewhere, wrongKind, deleted.id, '0191b6a0-0000-7000-8000-000000000000']) {
        const refused = {
          status: 400,
          body: { code: 'VALIDATION_FAILED', errors: [{ pointer: `/${field}`, in: 'body' }] },
        }
        expect(await changesNothing(() => create(path, { spaceId: undefined, [field]: id }))).toMatchObject(refused)
        const patch = () => stack.send('PATCH', `${base}/${path}/${node.id}`, { [field]: id })
        expect(await changesNothing(patch)).toMatchObject(refused)
      }
    },
  )

  it.each([
    ['spaces', 'storeyId', 'storeys'],
    ['points', 'elementId', 'elements'],
    ['elements', 'spaceId', 'spaces'],
  ] as const)('of %s may be given as a UUID in upper case', async (path, field, of) => {
    const id = firstOf(of)
    const node = await createNode(path, { [field]: id.toUpperCase() })
    const shown = path === 'spaces' ? node.storey.id : node[field]
    expect(shown).toBe(id)
    const same = () => stack.send('PATCH', `${base}/${path}/${node.id}`, { [field]: id.toUpperCase() })
    expect(await changesNothing(same)).toMatchObject({ status: 200, body: node })
  })
})
