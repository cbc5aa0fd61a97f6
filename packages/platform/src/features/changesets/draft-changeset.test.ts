import { randomUUID } from 'node:crypto'
import type { Operation } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChangesetFixture, startChangesets, UNKNOWN } from './testing/start-changesets.ts'

let world: ChangesetFixture
beforeAll(async () => {
  world = await startChangesets()
})
afterAll(() => world.close())

const newStorey = (data: Record<string, unknown> = {}, id?: string): Operation => ({
  op: 'create',
  kind: 'storey',
  ...(id === undefined ? {} : { id }),
  data: { name: 'Attic', index: 40, ...data },
})
const newSpace = (storeyId: string, data: Record<string, unknown> = {}, id = randomUUID()): Operation => ({
  op: 'create',
  kind: 'space',
  id,
  data: { name: 'Room', spaceTypeSlug: 'open-office', storeyId, ...data },
})

async function refused(operations: unknown, errors: [pointer: string, detail: RegExp][]) {
  const before = await world.stack.get(world.all)
  const answer = await world.draft(operations as Operation[])
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
  const found: { pointer: string; detail: string; in: string }[] = answer.body.errors
  found.sort((a, b) => (a.pointer < b.pointer ? -1 : a.pointer > b.pointer ? 1 : 0))
  const expected = errors.map(([pointer, detail]) => ({ pointer, in: 'body', detail: expect.stringMatching(detail) }))
  expect(found).toEqual(expected)
  expect((await world.stack.get(world.all)).body).toEqual(before.body)
  return answer.body
}

async function refusedByConflict(operations: Operation[], nodeIds: string[], field: string) {
  const answer = await world.draft(operations)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 409, body: { code: 'CONFLICT', nodeIds, field } })
}

describe('the operations of a draft', () => {
  it('[CHG-02] create, update and delete nodes of the four kinds; other operations and kinds are refused', async () => {
    const [storey, space, element] = [randomUUID(), randomUUID(), randomUUID()]
    const made = await world.draft([
      newStorey({}, storey.toUpperCase()),
      newSpace(storey, {}, space),
      { op: 'create', kind: 'element', id: element, data: { name: 'Fan', elementTypeSlug: 'ahu', spaceId: space } },
      {
        op: 'create',
        kind: 'point',
        data: { name: 'T', elementId: element, pointType: 'SENSOR', quantityKind: 'Temperature', unit: 'DEG_C' },
      },
      { op: 'update', kind: 'space', id: world.spaces[0]!, data: { capacity: 4 } },
      { op: 'delete', kind: 'point', id: world.points[0]!.toUpperCase() },
    ])
    expect(made, JSON.stringify(made.body)).toMatchObject({ status: 201 })
    const ids = made.body.operations.map((operation: Operation) => operation.id)
    expect(ids).toEqual([storey, space, element, expect.any(String), world.spaces[0], world.points[0]])
    await refused(
      [
        { op: 'upsert', kind: 'space' },
        { op: 'create', kind: 'building', data: {} },
        { op: 'delete', kind: 'space', id: 'no-uuid' },
        { op: 'delete', kind: 'space', id: UNKNOWN, note: 'x' },
      ],
      [
        ['/operations/0/op', /create, update, delete/],
        ['/operations/1/kind', /storey, space, element, point/],
        ['/operations/2/id', /a UUID/],
        ['/operations/3/note', /not a known field/],
      ],
    )
  })

  it('must have an id (except a create) and data (except a delete)', async () => {
    const id = world.spaces[0]!
    await refused(
      [
        { op: 'create', kind: 'space' },
        { op: 'update', kind: 'space', data: { name: 'X' } },
        { op: 'update', kind: 'space', id },
        { op: 'update', kind: 'space', id, data: {} },
        { op: 'delete', kind: 'space' },
        { op: 'delete', kind: 'space', id, data: { name: 'X' } },
      ],
      [
        ['/operations/0/data', /required/],
        ['/operations/1/id', /required/],
        ['/operations/2/data', /required/],
        ['/operations/3/data', /empty/],
        ['/operations/4/id', /required/],
        ['/operations/5/data', /not allowed/],
      ],
    )
  })

  it('must match the schema of the kind of node', async () => {
    await refused(
      [
        { op: 'create', kind: 'storey', data: { name: 'X' } },
        { op: 'update', kind: 'space', id: world.spaces[0], data: { areaSqm: -1, externalId: 'x' } },
        { op: 'update', kind: 'point', id: world.points[0], data: { pointType: 'sensor' } },
      ],
      [
        ['/operations/0/data/index', /^operations\.0\.data\.index is required/],
        ['/operations/1/data/areaSqm', /must be >= 0/],
        ['/operations/1/data/areaSqm', /null/],
        ['/operations/1/data/areaSqm', /anyOf/],
        ['/operations/1/data/externalId', /not a known field/],
        ['/operations/2/data/pointType', /SENSOR/],
      ],
    )
  })

  it('must match the catalogs; an error lists the valid values', async () => {
    const unit = await refused(
      [{ op: 'update', kind: 'point', id: world.points[0], data: { quantityKind: 'Temperature', unit: 'KiloW' } }],
      [['/operations/0/data/unit', /does not fit/]],
    )
    expect(unit.validValues).toContain('DEG_C')
    await refused(
      [
        newSpace(world.storey, { spaceTypeSlug: 'dungeon' }),
        newSpace(world.storey, { sourceSystem: 'ifc', externalId: 'x' }),
      ],
      [
        ['/operations/0/data/spaceTypeSlug', /catalog/],
        ['/operations/1/data/sourceSystem', /ifc/],
      ],
    )
  })

  it('must refer to nodes of the building, or to nodes that an earlier operation creates', async () => {
    const later = randomUUID()
    const elsewhere = world.stack.other.idOf(world.stack.other.building.storeys[0]!.key)
    await refused(
      [
        { op: 'update', kind: 'storey', id: UNKNOWN, data: { name: 'X' } },
        { op: 'delete', kind: 'space', id: world.storey },
        { op: 'update', kind: 'storey', id: elsewhere, data: { name: 'X' } },
        { op: 'update', kind: 'storey', id: later, data: { name: 'X' } },
        newSpace(UNKNOWN),
        newSpace(elsewhere),
        { op: 'update', kind: 'element', id: world.element, data: { serves: [world.spaces[0], UNKNOWN] } },
      ],
      [
        ['/operations/0/id', /no storey/],
        ['/operations/1/id', /no space/],
        ['/operations/2/id', /no storey/],
        ['/operations/3/id', /no storey/],
        ['/operations/4/data/storeyId', /no storey/],
        ['/operations/5/data/storeyId', /no storey/],
        ['/operations/6/data/serves', new RegExp(UNKNOWN)],
      ],
    )
    await refused(
      [{ op: 'update', kind: 'storey', id: later, data: { name: 'X' } }, newStorey({}, later)],
      [['/operations/0/id', /earlier/]],
    )
  })

  it('create each node once, under an id that no node has or had', async () => {
    const id = randomUUID()
    await refused([newStorey({}, id), newStorey({}, id.toUpperCase())], [['/operations/1/id', /earlier create/]])
    const elsewhere = world.stack.other.idOf(world.stack.other.building.storeys[0]!.key)
    await refusedByConflict([newStorey({}, world.storey), newStorey({}, elsewhere)], [world.storey, elsewhere], 'id')
    await world.apply([newStorey({}, id)])
    await world.apply([{ op: 'delete', kind: 'storey', id }])
    await refusedByConflict([newStorey({}, id), newSpace(id)], [id], 'id')
  })

  it('must not leave a node without its parent, or use a code or external id twice', async () => {
    const [space] = world.spaces
    const { body: known } = await world.stack.get(`${world.building}/spaces/${space}`)
    await refusedByConflict([{ op: 'delete', kind: 'storey', id: world.storey }], [world.storey], 'id')
    await refusedByConflict([newStorey({ code: known.code })], [space!], 'code')
    await refused(
      [newStorey({ code: 'SAME' }), newStorey({ code: 'SAME', index: 41 })],
      [['/operations/1/data/code', /already used/]],
    )
    const pair = { sourceSystem: 'crm', externalId: 'R-1' }
    await refused([newStorey(pair), newSpace(world.storey, pair)], [['/operations/1/data/externalId', /already used/]])
  })

  it('[CHG-02] run in the order in which they are listed', async () => {
    const [storey, space] = [randomUUID(), randomUUID()]
    const gone = await world.draft([
      newStorey({}, storey),
      { op: 'update', kind: 'storey', id: storey, data: { name: 'Roof' } },
      newSpace(storey, {}, space),
      { op: 'delete', kind: 'space', id: space },
      { op: 'delete', kind: 'storey', id: storey },
    ])
    expect(gone, JSON.stringify(gone.body)).toMatchObject({ status: 201 })
    const { body: nothing } = await world.stack.get(`${world.all}/${gone.body.id}/diff`)
    expect(nothing).toMatchObject({ changes: [], conflicts: [] })
    const point = world.points[0]!
    await refused(
      [
        { op: 'delete', kind: 'point', id: point },
        { op: 'update', kind: 'point', id: point, data: { name: 'Ghost' } },
      ],
      [['/operations/1/id', /no point/]],
    )
    await refused(
      [newStorey({}, storey), { op: 'delete', kind: 'storey', id: storey }, newSpace(storey)],
      [['/operations/2/data/storeyId', /no storey/]],
    )
  })
})
