import { LIMITS } from '@storey/contract'
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

const create = (path: NodePath, changes: Record<string, unknown>) =>
  stack.send('POST', `${base}/${path}`, { ...bodies[path], ...changes })
const add = (path: NodePath, id: string, body: unknown) =>
  stack.send('POST', `${base}/${path}/${id}/external-ids`, body)
const revision = async () => {
  const row = await stack.db.row(sql`select revision from buildings where id = ${stack.seeded.buildingId}`)
  return (row as { revision: number }).revision
}
let last = 0
const fresh = () => `id ${++last}`

describe.each(NODE_PATHS)('an external id of %s', (path) => {
  it('[GRF-21] is unique within its source system, across kinds', async () => {
    const externalId = fresh()
    const { body } = await create(path, { sourceSystem: 'erp', externalId })
    expect(body).toMatchObject({ externalId, sourceSystem: 'erp', externalIds: [{ sourceSystem: 'erp', externalId }] })
    const before = await revision()
    for (const other of NODE_PATHS) {
      const repeat = await create(other, { sourceSystem: 'erp', externalId })
      expect(repeat).toMatchObject({ status: 409, body: { field: 'externalId', nodeIds: [body.id] } })
      const added = await add(other, stack.idOf(stack.building[other][1]!.key), { sourceSystem: 'erp', externalId })
      expect(added).toMatchObject({ status: 409, body: { field: 'externalId', nodeIds: [body.id] } })
    }
    expect(await revision()).toBe(before)
  })

  it('[GRF-22] may be used again under another source system, and in another building', async () => {
    const externalId = fresh()
    expect((await create(path, { sourceSystem: 'erp', externalId })).status).toBe(201)
    expect((await create(path, { sourceSystem: 'cafm', externalId })).status).toBe(201)
    const elsewhere = await stack.send('POST', `/api/v1/buildings/${stack.other.buildingId}/storeys`, {
      ...{ name: 'x', index: 9, sourceSystem: 'erp', externalId },
    })
    expect(elsewhere.status).toBe(201)
  })

  it('is free again after its node is deleted', async () => {
    const pair = { sourceSystem: 'erp', externalId: fresh() }
    const { body } = await create(path, pair)
    await stack.send('DELETE', `${base}/${path}/${body.id}`)
    expect((await create(path, pair)).status).toBe(201)
  })

  it('[GRF-23] requires a source system, and a source system requires an external id', async () => {
    expect(await create(path, { externalId: fresh() })).toMatchObject({
      ...{ status: 400, body: { errors: [{ pointer: '/sourceSystem' }] } },
    })
    expect(await create(path, { sourceSystem: 'erp' })).toMatchObject({
      ...{ status: 400, body: { errors: [{ pointer: '/externalId' }] } },
    })
  })

  it.each(['ifc', 'IFC', ' Ifc '])('[GRF-24] cannot be sent under the source system %j', async (sourceSystem) => {
    const id = stack.idOf(stack.building[path][0]!.key)
    const globalId = stack.building[path][0]!.globalId
    const before = await revision()
    const refused = { status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ pointer: '/sourceSystem' }] } }
    expect(await create(path, { sourceSystem, externalId: fresh() })).toMatchObject(refused)
    expect(await add(path, id, { sourceSystem, externalId: fresh() })).toMatchObject(refused)
    const query = new URLSearchParams({ sourceSystem, externalId: globalId })
    const removed = await stack.send('DELETE', `${base}/${path}/${id}/external-ids?${query}`)
    expect(removed).toMatchObject({ status: 400, body: { errors: [{ pointer: '/sourceSystem', in: 'query' }] } })
    expect(await revision()).toBe(before)
  })

  it('[GRF-25] is added in a revision, and the first one remains the externalId of the node', async () => {
    const id = stack.idOf(stack.building[path][0]!.key)
    const { globalId } = stack.building[path][0]!
    const externalId = fresh()
    const before = await revision()
    const { status, body } = await add(path, id, { sourceSystem: 'erp', externalId })
    expect(status).toBe(201)
    expect(body.externalIds.slice(0, 1)).toEqual([{ sourceSystem: 'ifc', externalId: globalId }])
    expect(body.externalIds.at(-1)).toEqual({ sourceSystem: 'erp', externalId })
    expect(body).toMatchObject({ externalId: globalId, sourceSystem: 'ifc' })
    expect((await stack.get(`${base}/${path}/${id}`)).body).toEqual(body)
    expect(await revision()).toBe(before + 1)
    expect((await add(path, id, { sourceSystem: 'erp', externalId })).status).toBe(409)
    expect(await revision()).toBe(before + 1)
  })

  it('can be removed, and the next one becomes the externalId of the node', async () => {
    const [first, second] = [fresh(), fresh()]
    const { body } = await create(path, { sourceSystem: 'erp', externalId: first })
    await add(path, body.id, { sourceSystem: 'a b&c', externalId: second })
    const one = `${base}/${path}/${body.id}/external-ids`
    const before = await revision()
    const query = new URLSearchParams({ sourceSystem: 'erp', externalId: first })
    expect((await stack.send('DELETE', `${one}?${query}`)).status).toBe(204)
    expect(await revision()).toBe(before + 1)
    expect((await stack.get(`${base}/${path}/${body.id}`)).body).toMatchObject({
      ...{ externalId: second, sourceSystem: 'a b&c', externalIds: [{ sourceSystem: 'a b&c', externalId: second }] },
    })
    expect((await stack.send('DELETE', `${one}?${query}`)).status).toBe(404)
    expect((await stack.send('DELETE', one)).status).toBe(400)
    expect(await revision()).toBe(before + 1)
  })
})

describe('adding an external id', () => {
  it.each([
    [{}, '/sourceSystem'],
    [{ sourceSystem: 'erp' }, '/externalId'],
    [{ sourceSystem: '', externalId: 'x' }, '/sourceSystem'],
    [{ sourceSystem: 'erp', externalId: '' }, '/externalId'],
    [{ sourceSystem: 'erp', externalId: 7 }, '/externalId'],
    [{ sourceSystem: 'erp', externalId: 'a\u0000b' }, '/externalId'],
    [{ sourceSystem: 'erp', externalId: 'a\nb' }, '/externalId'],
    [{ sourceSystem: 'erp', externalId: 'x'.repeat(256) }, '/externalId'],
    [{ sourceSystem: 'x'.repeat(65), externalId: 'x' }, '/sourceSystem'],
    [{ sourceSystem: 'erp', externalId: 'x', kind: 'space' }, '/kind'],
  ])('is refused with the body %j', async (body, pointer) => {
    const { status, body: problem } = await add('spaces', stack.idOf(stack.building.spaces[0]!.key), body)
    expect({ status, pointer: problem.errors[0].pointer }).toEqual({ status: 400, pointer })
  })

  it('is refused beyond the maximum of a node', async () => {
    const { body } = await create('spaces', { sourceSystem: 'erp', externalId: fresh() })
    for (let i = 1; i < LIMITS.node.externalIds; i++) {
      expect((await add('spaces', body.id, { sourceSystem: 'erp', externalId: fresh() })).status).toBe(201)
    }
    const before = await revision()
    expect(await add('spaces', body.id, { sourceSystem: 'erp', externalId: fresh() })).toMatchObject({
      ...{ status: 400, body: { errors: [{ pointer: '/externalId' }] } },
    })
    expect(await revision()).toBe(before)
  })
})
