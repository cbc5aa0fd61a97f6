import { randomUUID } from 'node:crypto'
import type { Operation } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChangesetFixture, startChangesets } from './testing/start-changesets.ts'

let world: ChangesetFixture
beforeAll(async () => {
  world = await startChangesets()
})
afterAll(() => world.close())

const revert = (path: string) => world.stack.send('POST', `${path}/revert`)
const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
  world.stack.send(method, `${world.building}/${path}`, body)
const create = (kind: Operation['kind'], data: Record<string, unknown>) => ({
  op: 'create' as const,
  kind,
  id: randomUUID(),
  data,
})
const remove = (kind: Operation['kind'], id: string): Operation => ({ op: 'delete', kind, id })
const storey = (data: Record<string, unknown> = {}) => create('storey', { name: 'Attic', index: 40, ...data })
const space = (storeyId: string, data: Record<string, unknown> = {}) =>
  create('space', { name: 'Room', spaceTypeSlug: 'open-office', storeyId, ...data })

async function refused(path: string, nodeIds: string[]) {
  const before = [await world.state(), (await world.stack.get(path)).body]
  const answer = await revert(path)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  expect(answer.body.nodeIds.toSorted()).toEqual(nodeIds.toSorted())
  expect([await world.state(), (await world.stack.get(path)).body]).toEqual(before)
}

describe('revert', () => {
  it('[CHG-07, CHG-13] restores the graph, including times, codes, external ids and deleted points', async () => {
    const { body: element } = await world.stack.get(`${world.building}/elements/${world.element}`)
    const readPoints = () => world.stack.get(`${world.building}/points?elementId=${world.element}`)
    const before = await world.state()
    const points = await readPoints()
    const attic = storey({ sourceSystem: 'crm', externalId: 'S-1' })
    const room = space(attic.id)
    const path = await world.apply([
      attic,
      room,
      {
        op: 'update',
        kind: 'element',
        id: world.element,
        data: { spaceId: room.id, code: 'MOVED', serves: [room.id] },
      },
      ...world.points.map((id) => remove('point', id)),
      { op: 'update', kind: 'storey', id: world.storey, data: { name: 'Renamed', areaSqm: null } },
      // This space gets the code that the element releases. The revert gives the code back to the element.
      { op: 'update', kind: 'space', id: world.spaces[0]!, data: { code: element.code } },
    ])
    const applied = await world.state()
    expect(applied.nodes).not.toEqual(before.nodes)
    const { body: shown } = await world.stack.get(`${path}/diff`)
    const reverted = await revert(path)
    expect(reverted.body).toMatchObject({ state: 'reverted', revertedRevision: applied.revision + 1 })
    const after = await world.state()
    expect(after.nodes).toEqual(before.nodes)
    expect(after.revision).toBe(before.revision + 2)
    expect((await readPoints()).body).toEqual(points.body)
    expect((await world.stack.get(`${path}/diff`)).body).toEqual({ ...shown, state: 'reverted' })
    const { body: history } = await world.stack.get(`${world.building}/history?changesetId=${reverted.body.id}`)
    expect(new Set(history.data.map((one: { revision: number }) => one.revision)).size).toBe(2)
  })

  it('[CHG-13] restores a deleted node, and the elements that served it serve it again', async () => {
    const room = space(world.storey)
    const fan = create('element', { name: 'Fan', elementTypeSlug: 'ahu', storeyId: world.storey, serves: [room.id] })
    await world.apply([room, fan])
    const before = await world.state()
    const path = await world.apply([remove('space', room.id)])
    expect((await world.stack.get(`${world.building}/elements/${fan.id}`)).body.serves).toEqual([])
    await revert(path)
    expect((await world.state()).nodes).toEqual(before.nodes)
  })

  it('[CHG-11, CHG-12] is refused if nodes have changed since the apply, with a problem that names all of these nodes', async () => {
    const [one, two, three] = [space(world.storey), space(world.storey), space(world.storey)]
    await world.apply([one, two])
    const path = await world.apply([
      { op: 'update', kind: 'space', id: one.id, data: { name: 'A' } },
      { op: 'update', kind: 'space', id: two.id, data: { name: 'B' } },
      three,
    ])
    await send('PATCH', `spaces/${one.id}`, { capacity: 1 })
    await refused(path, [one.id])
    await send('DELETE', `spaces/${two.id}`)
    await send('DELETE', `spaces/${three.id}`)
    await refused(path, [one.id, two.id, three.id])
  })

  it('[CHG-12] is refused if a created node has children that the changeset did not create', async () => {
    const attic = storey()
    const path = await world.apply([attic, space(attic.id)])
    await send('POST', 'spaces', space(attic.id).data)
    await refused(path, [attic.id])
  })

  it('[CHG-11, CHG-12] is refused if a parent was deleted, or a code or an external id is already used', async () => {
    const attic = storey()
    const room = space(attic.id, { code: 'WANTED-BACK', sourceSystem: 'crm', externalId: 'BACK' })
    const other = space(world.storey)
    await world.apply([attic, room, other])
    const path = await world.apply([
      remove('space', room.id),
      { op: 'update', kind: 'space', id: other.id, data: { name: 'Other' } },
    ])
    await send('DELETE', `storeys/${attic.id}`)
    await refused(path, [attic.id])
    const { body: holder } = await send('POST', 'storeys', storey({ code: 'WANTED-BACK' }).data)
    const { body: owner } = await send('POST', 'storeys', storey({ sourceSystem: 'crm', externalId: 'BACK' }).data)
    await refused(path, [attic.id, holder.id, owner.id])
  })

  it('works in any order for changesets that do not overlap', async () => {
    const before = await world.state()
    const paths = []
    for (const [i, id] of world.spaces.slice(0, 3).entries()) {
      paths.push(await world.apply([{ op: 'update', kind: 'space', id, data: { name: `Turn ${i}` } }, storey()]))
    }
    for (const i of [1, 0, 2]) expect((await revert(paths[i]!)).status).toBe(200)
    expect((await world.state()).nodes).toEqual(before.nodes)
  })
})

describe('the trail of a changeset', () => {
  it('cannot be rewritten', async () => {
    await world.apply([storey()])
    const steps = await readSteps()
    for (const statement of ['update changeset_steps set actor = $$x$$', 'delete from changeset_steps']) {
      await expect(
        world.stack.db.transaction((tx) => tx.client.query(statement)),
        statement,
      ).rejects.toThrow(/append-only/)
    }
    expect(await readSteps()).toEqual(steps)
  })
})

async function readSteps() {
  const { body } = await world.stack.get(`${world.all}?limit=200`)
  const records = body.data.map(({ id }: { id: string }) => world.stack.get(`${world.all}/${id}`))
  return (await Promise.all(records)).map((answer) => answer.body.trail)
}
