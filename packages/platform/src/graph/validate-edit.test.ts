import type { NewNode, NodeOf } from '@storey/contract'
import { systemClock } from '@storey/kit/clock'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestStack, type TestStack } from '../testing/test-stack.ts'
import type { GraphEdit } from './graph-edit.ts'
import { type GraphAccess, openGraph } from './open-graph.ts'

let stack: TestStack
let graph: GraphAccess
let storeyId: string
beforeAll(async () => {
  stack = await startTestStack()
  graph = openGraph(stack.db, systemClock)
  storeyId = stack.idOf(stack.building.storeys[0]!.key)
})
afterAll(() => stack.close())

const meta = { actor: 'test', summary: 'test' }
const change = <T>(work: (edit: GraphEdit) => T | Promise<T>) =>
  graph.change(stack.seeded.buildingId, async (edit) => {
    const done = await work(edit)
    const revision = await edit.commit(meta)
    return { done, changes: revision?.changes.map(({ op, kind }) => `${op} ${kind}`) ?? null }
  })
const spaceBody = (changes: Partial<NewNode['space']> = {}): NewNode['space'] => ({
  ...{ storeyId, name: 'Room', spaceTypeSlug: 'other' },
  ...changes,
})
const box = (changes: Partial<NewNode['element']> = {}): NewNode['element'] => ({
  ...{ name: 'Box', elementTypeSlug: 'vav' },
  ...changes,
})
const stored = async (id: string) => {
  const row = await stack.db.row<{ state: NodeOf['element'] }>(sql`select state from nodes where id = ${id}`)
  return row?.state
}

/** Changesets and imports make edits of several nodes. */
describe('an edit of several nodes', () => {
  it('can create children before their parents, and delete parents before their children', async () => {
    const [spaceId, elementId] = ['0191b6a0-aaaa-7000-8000-000000000001', '0191b6a0-aaaa-7000-8000-000000000002']
    const { changes } = await change((edit) => {
      edit.create('point', { elementId, pointType: 'SENSOR', name: 'P', quantityKind: 'Temperature', unit: 'DEG_C' })
      edit.create('element', box({ spaceId, serves: [spaceId] }), { id: elementId })
      edit.create('space', spaceBody(), { id: spaceId })
    })
    expect(changes?.sort()).toEqual(['create element', 'create point', 'create space'])
    expect(await stored(elementId)).toMatchObject({ spaceId, storeyId: null, serves: [spaceId] })
    const down = await change(async (edit) => {
      const points = await stack.db.rows<{ id: string }>(sql`select id from points where element_id = ${elementId}`)
      const ids = [spaceId, elementId, ...points.map(({ id }) => id)]
      await edit.load(ids)
      for (const id of ids) edit.remove(id)
    })
    expect(down.changes?.sort()).toEqual(['delete element', 'delete point', 'delete space'])
  })

  it('can swap the codes of two nodes', async () => {
    const { done } = await change((edit) => [
      edit.create('space', spaceBody({ code: 'ONE' })).id,
      edit.create('element', box({ storeyId, code: 'TWO' })).id,
    ])
    const [space, element] = done as [string, string]
    await change(async (edit) => {
      await edit.load(done)
      edit.update('space', space, { code: 'TWO' })
      edit.update('element', element, { code: 'ONE' })
    })
    expect([(await stored(space))?.code, (await stored(element))?.code]).toEqual(['TWO', 'ONE'])
  })

  it('writes nothing if one of the nodes has a violation, and names its field', async () => {
    const before = (await stack.get(`/api/v1/buildings/${stack.seeded.buildingId}`)).body.revision
    const bad = change((edit) => {
      edit.create('space', spaceBody({ code: 'GOOD' }), { pointer: '/operations/0' })
      edit.create('space', spaceBody({ storeyId: '0191b6a0-0000-7000-8000-000000000000' }), {
        pointer: '/operations/1',
      })
    })
    await expect(bad).rejects.toMatchObject({ members: { errors: [{ pointer: '/operations/1/storeyId' }] } })
    const twice = change((edit) => {
      edit.create('space', spaceBody({ code: 'SAME' }))
      edit.create('element', box({ storeyId, code: 'SAME' }))
    })
    await expect(twice).rejects.toMatchObject({ code: 'CONFLICT', members: { field: 'code' } })
    const after = (await stack.get(`/api/v1/buildings/${stack.seeded.buildingId}`)).body.revision
    expect(after).toBe(before)
  })

  it('gives an element whose `spaceId` becomes null the storey of its former space, even if the space is deleted', async () => {
    const { done } = await change((edit) => {
      const spaceId = edit.create('space', spaceBody()).id
      return [spaceId, edit.create('element', box({ spaceId })).id]
    })
    const [space, element] = done as [string, string]
    const { changes } = await change(async (edit) => {
      await edit.load(done)
      edit.update('element', element, { spaceId: null })
      edit.remove(space)
    })
    expect(changes?.sort()).toEqual(['delete space', 'update element'])
    expect(await stored(element)).toMatchObject({ spaceId: null, storeyId })
  })

  it('removes a deleted node from `serves` of an element that changes in the same edit', async () => {
    const { done } = await change((edit) => {
      const fed = edit.create('element', box({ storeyId })).id
      return [fed, edit.create('element', box({ storeyId, serves: [fed] })).id]
    })
    const [fed, feeder] = done as [string, string]
    await change(async (edit) => {
      await edit.load(done)
      edit.update('element', feeder, { name: 'Renamed' })
      edit.remove(fed)
    })
    expect(await stored(feeder)).toMatchObject({ name: 'Renamed', serves: [] })
  })

  it('is refused if an element would serve a node that the edit deletes', async () => {
    const { done } = await change((edit) => [
      edit.create('element', box({ storeyId })).id,
      edit.create('element', box({ storeyId })).id,
    ])
    const [fed, feeder] = done as [string, string]
    const both = change(async (edit) => {
      await edit.load(done)
      edit.update('element', feeder, { serves: [fed] })
      edit.remove(fed)
    })
    await expect(both).rejects.toMatchObject({ members: { errors: [{ pointer: '/serves' }] } })
  })

  it('restores a node with its code and its times', async () => {
    const { done } = await change((edit) => {
      const spaceId = edit.create('space', spaceBody()).id
      return [edit.create('element', box({ spaceId })).id, spaceId]
    })
    const [element] = done as [string, string]
    const was = (await stored(element))!
    await change(async (edit) => {
      await edit.load(done)
      edit.remove(element)
    })
    await change((edit) => edit.restore('element', element, was))
    expect(await stored(element)).toEqual(was)
  })
})
