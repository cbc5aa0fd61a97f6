import { ELEMENT_STATUSES, LIMITS } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../../testing/test-stack.ts'

let stack: TestStack
let base: string
let path: string
let spaceId: string
let storeyId: string
let elsewhere: string
beforeAll(async () => {
  stack = await startTestStack()
  base = `/api/v1/buildings/${stack.seeded.buildingId}`
  path = `${base}/elements`
  const space = stack.building.spaces[0]!
  spaceId = stack.idOf(space.key)
  storeyId = stack.idOf(space.storeyKey)
  elsewhere = stack.idOf(stack.building.storeys.find(({ key }) => key !== space.storeyKey)!.key)
})
afterAll(() => stack.close())

const create = (changes: Record<string, unknown> = {}) =>
  stack.send('POST', path, { name: 'New', elementTypeSlug: 'vav', ...changes })
const patch = (id: string, changes: Record<string, unknown>) => stack.send('PATCH', `${path}/${id}`, changes)
const revision = async () => (await stack.get(base)).body.revision as number
const inRoom = async () => (await create({ spaceId })).body
const onStorey = async () => (await create({ storeyId })).body
const nowhere = { status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ pointer: '/spaceId' }] } }

describe('POST …/elements', () => {
  it('[GRF-14] requires a name, a type and a place, and nothing else', async () => {
    const { status, body } = await create({ spaceId })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      ...{ name: 'New', spaceId, storeyId, status: 'active', serves: [] },
      elementType: { slug: 'vav', ifcClass: 'IfcAirTerminalBox', brickClass: 'VAV' },
    })
    for (const name of ['name', 'elementTypeSlug']) {
      const without = await create({ spaceId, [name]: undefined })
      expect(without).toMatchObject({ status: 400, body: { errors: [{ pointer: `/${name}` }] } })
    }
  })

  it('[GRF-14] accepts a space, a storey, or both if the space is on the storey', async () => {
    expect((await create({ storeyId })).body).toMatchObject({ spaceId: null, storeyId })
    expect((await create({ storeyId, spaceId: null })).body).toMatchObject({ spaceId: null, storeyId })
    expect((await create({ spaceId, storeyId: null })).body).toMatchObject({ spaceId, storeyId })
    expect((await create({ spaceId, storeyId })).body).toMatchObject({ spaceId, storeyId })
  })

  it('[GRF-14] refuses an element without a place, or with a space that is not on the storey', async () => {
    const before = await revision()
    expect(await create()).toMatchObject(nowhere)
    expect(await create({ spaceId: null, storeyId: null })).toMatchObject(nowhere)
    const two = await create({ spaceId, storeyId: elsewhere })
    expect(two).toMatchObject({ status: 400, body: { errors: [{ pointer: '/storeyId' }] } })
    expect(await revision()).toBe(before)
  })

  it('[GRF-17] refuses a type that is not in the catalog', async () => {
    for (const elementTypeSlug of ['VAV', 'flux-capacitor', 'toString', '__proto__']) {
      const refused = { status: 400, body: { errors: [{ pointer: '/elementTypeSlug' }] } }
      expect(await create({ spaceId, elementTypeSlug })).toMatchObject(refused)
      expect(await patch(stack.idOf(stack.building.elements[0]!.key), { elementTypeSlug })).toMatchObject(refused)
    }
  })

  it('accepts the statuses that the API defines for elements, and refuses others', async () => {
    for (const status of ELEMENT_STATUSES) expect((await create({ spaceId, status })).body.status).toBe(status)
    for (const status of ['vacant', 'Active', '', null]) {
      expect((await create({ spaceId, status })).body.errors).toMatchObject([{ pointer: '/status' }])
    }
  })
})

describe('the place of an element', () => {
  it('can be changed to another room, and with it to another storey', async () => {
    const other = stack.building.spaces.find(({ storeyKey }) => stack.idOf(storeyKey) === elsewhere)!
    const { id } = await inRoom()
    const moved = { spaceId: stack.idOf(other.key), storeyId: elsewhere }
    expect((await patch(id, { spaceId: moved.spaceId })).body).toMatchObject(moved)
    expect((await stack.get(`${path}/${id}`)).body).toMatchObject(moved)
  })

  it('is the storey of the room after the element is taken out of the room', async () => {
    const { id } = await inRoom()
    expect(await patch(id, { spaceId: null })).toMatchObject({ status: 200, body: { spaceId: null, storeyId } })
    expect((await stack.get(`${path}/${id}`)).body).toMatchObject({ spaceId: null, storeyId })
    const { body: list } = await stack.get(`${path}?limit=1000&storeyId=${storeyId}`)
    expect(list.data.map((element: { id: string }) => element.id)).toContain(id)
  })

  it('is the storey if only a storey is given, and the room if only a room is given', async () => {
    const { id } = await inRoom()
    expect((await patch(id, { storeyId: elsewhere })).body).toMatchObject({ spaceId: null, storeyId: elsewhere })
    expect((await patch(id, { spaceId })).body).toMatchObject({ spaceId, storeyId })
    expect((await patch(id, { spaceId, storeyId })).body).toMatchObject({ spaceId, storeyId })
    const two = await patch(id, { spaceId, storeyId: elsewhere })
    expect(two).toMatchObject({ status: 400, body: { errors: [{ pointer: '/storeyId' }] } })
    expect((await stack.get(`${path}/${id}`)).body).toMatchObject({ spaceId, storeyId })
  })

  it('is never empty', async () => {
    const [room, storey] = [await inRoom(), await onStorey()]
    const before = await revision()
    expect(await patch(storey.id, { storeyId: null })).toMatchObject(nowhere)
    expect(await patch(storey.id, { spaceId: null, storeyId: null })).toMatchObject(nowhere)
    expect(await patch(room.id, { spaceId: null, storeyId: null })).toMatchObject(nowhere)
    expect(await revision()).toBe(before)
  })

  it('[GRF-31] stays if a patch sets storeyId to null in a room, or spaceId to null outside of a room', async () => {
    const [room, storey] = [await inRoom(), await onStorey()]
    const before = await revision()
    expect(await patch(room.id, { storeyId: null })).toMatchObject({ status: 200, body: room })
    expect(await patch(storey.id, { spaceId: null })).toMatchObject({ status: 200, body: storey })
    expect(await revision()).toBe(before)
  })
})

describe('what an element serves', () => {
  it('can be elements and spaces of the building, each listed once', async () => {
    const fed = (await inRoom()).id
    const { status, body } = await create({ spaceId, serves: [spaceId, fed, fed.toUpperCase(), spaceId] })
    expect({ status, serves: body.serves }).toEqual({ status: 201, serves: [spaceId, fed].sort() })
    expect((await patch(body.id, { serves: [fed.toUpperCase()] })).body.serves).toEqual([fed])
    expect((await patch(body.id, { serves: [] })).body.serves).toEqual([])
  })

  it('cannot be the element itself, a node of another kind or a node of another building', async () => {
    const { id } = await inRoom()
    const point = stack.idOf(stack.building.points[0]!.key)
    const ofOtherBuilding = stack.other.idOf(stack.other.building.spaces[0]!.key)
    const before = await revision()
    const wrong = [[point], [storeyId], [ofOtherBuilding], ['0191b6a0-0000-7000-8000-000000000000'], [spaceId, point]]
    for (const serves of wrong) {
      const refused = { status: 400, body: { errors: [{ pointer: '/serves' }] } }
      expect(await create({ spaceId, serves })).toMatchObject(refused)
      expect(await patch(id, { serves })).toMatchObject(refused)
    }
    expect(await patch(id, { serves: [id] })).toMatchObject({ status: 400, body: { errors: [{ pointer: '/serves' }] } })
    for (const serves of [null, 'x', ['x'], [7], Array(LIMITS.node.serves + 1).fill(spaceId)]) {
      const answer = await create({ spaceId, serves })
      expect(answer.status, JSON.stringify(serves)?.slice(0, 50)).toBe(400)
      expect(answer.body.errors[0].pointer).toMatch(/^\/serves\b/)
    }
    expect(await revision()).toBe(before)
  })

  it('[REV-01] is updated in the same revision that deletes a served node', async () => {
    const { body: room } = await stack.send('POST', `${base}/spaces`, { storeyId, name: 'x', spaceTypeSlug: 'other' })
    const fed = await inRoom()
    const feeders = [
      (await create({ spaceId, serves: [fed.id, room.id] })).body,
      (await create({ spaceId, serves: [fed.id] })).body,
    ]
    const before = await revision()
    expect((await stack.send('DELETE', `${path}/${fed.id}`)).status).toBe(204)
    expect(await revision()).toBe(before + 1)
    expect((await stack.get(`${path}/${feeders[0].id}`)).body.serves).toEqual([room.id])
    expect((await stack.get(`${path}/${feeders[1].id}`)).body.serves).toEqual([])
    const { body } = await stack.get(`${base}/diff?from=${before}&to=${before + 1}`)
    const listed = body.changes.map(({ op, nodeId }: { op: string; nodeId: string }) => `${op} ${nodeId}`)
    expect(listed.sort()).toEqual([`delete ${fed.id}`, ...feeders.map(({ id }) => `update ${id}`)].sort())

    expect((await stack.send('DELETE', `${base}/spaces/${room.id}`)).status).toBe(204)
    expect((await stack.get(`${path}/${feeders[0].id}`)).body.serves).toEqual([])
    expect(await revision()).toBe(before + 2)
  })

  it('does not prevent the deletion of the element', async () => {
    const { body } = await create({ spaceId, serves: [spaceId] })
    expect((await stack.send('DELETE', `${path}/${body.id}`)).status).toBe(204)
  })
})
