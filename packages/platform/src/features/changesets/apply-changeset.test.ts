import { randomUUID } from 'node:crypto'
import type { Operation } from '@storey/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ChangesetFixture, startChangesets } from './testing/start-changesets.ts'

let world: ChangesetFixture
beforeAll(async () => {
  world = await startChangesets()
})
afterAll(() => world.close())

const apply = (path: string) => world.stack.send('POST', `${path}/apply`)
const diff = async (path: string) => (await world.stack.get(`${path}/diff`)).body
const update = (kind: Operation['kind'], id: string, data: Record<string, unknown>): Operation => ({
  op: 'update',
  kind,
  id,
  data,
})
const patch = (path: string, data: unknown) => world.stack.send('PATCH', `${world.building}/${path}`, data)
const space = (storeyId: string, data: Record<string, unknown> = {}): Operation & { id: string } => ({
  op: 'create',
  kind: 'space',
  id: randomUUID(),
  data: { name: 'Room', spaceTypeSlug: 'open-office', storeyId, ...data },
})
const storey = (data: Record<string, unknown> = {}): Operation & { id: string } => ({
  op: 'create',
  kind: 'storey',
  id: randomUUID(),
  data: { name: 'Attic', index: 40, ...data },
})

async function refused(path: string, nodeIds: string[], field?: string) {
  const before = [await world.state(), (await world.stack.get(path)).body]
  const answer = await apply(path)
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
  expect(answer.body.nodeIds.toSorted()).toEqual(nodeIds.toSorted())
  if (field !== undefined) expect(answer.body.field).toBe(field)
  expect((await diff(path)).conflicts.toSorted()).toEqual(nodeIds.toSorted())
  expect([await world.state(), (await world.stack.get(path)).body]).toEqual(before)
}

describe('apply', () => {
  it('[CHG-06, CHG-10] writes what the diff showed, as one revision', async () => {
    const attic = storey()
    const room = space(attic.id, { code: 'ATTIC-1' })
    const { revision } = await world.state()
    const path = await world.approve([
      attic,
      room,
      update('space', room.id, { capacity: 3 }),
      update('space', world.spaces[0]!, { storeyId: attic.id }),
      { op: 'delete', kind: 'point', id: world.points[0]! },
    ])
    const shown = await diff(path)
    expect(shown).toMatchObject({ state: 'approved', baseRevision: revision, conflicts: [] })
    expect((await world.state()).revision).toBe(revision)
    expect((await apply(path)).body).toMatchObject({ state: 'applied', appliedRevision: revision + 1 })
    expect((await world.state()).revision).toBe(revision + 1)
    const { body: made } = await world.stack.get(`${world.building}/spaces/${room.id}`)
    expect(made).toMatchObject({ code: 'ATTIC-1', capacity: 3, storey: { id: attic.id } })
    expect((await world.stack.get(`${world.building}/points/${world.points[0]}`)).status).toBe(404)

    const done = await diff(path)
    expect(done).toMatchObject({ state: 'applied', conflicts: [] })
    type Change = { nodeId: string; before: { updatedAt: string } | null; after: { updatedAt: string } | null }
    const untimed = ({ changes }: { changes: Change[] }) =>
      changes
        .map(({ after, ...change }) => ({ ...change, after: after && { ...after, createdAt: '', updatedAt: '' } }))
        .sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
    expect(untimed(done)).toEqual(untimed(shown))
    expect(done.changes.map((change: { op: string }) => change.op).sort()).toEqual(
      ['create', 'create', 'delete', 'update'].sort(),
    )
    const { body: between } = await world.stack.get(`${world.building}/diff?from=${revision}&to=${revision + 1}`)
    expect(untimed(between)).toEqual(untimed(done))
  })

  it('removes a deleted node from the field `serves` of all elements, and no later operation can add it', async () => {
    const [fan, pump] = [randomUUID(), randomUUID()]
    const element = (id: string, serves: string[]): Operation => ({
      op: 'create',
      kind: 'element',
      id,
      data: { name: 'X', elementTypeSlug: 'ahu', storeyId: world.storey, serves },
    })
    const room = space(world.storey)
    await world.apply([room, element(fan, []), element(pump, [fan, room.id])])
    await world.apply([
      update('element', pump, { name: 'Pump' }),
      { op: 'delete', kind: 'space', id: room.id },
      update('element', world.element, { serves: [fan] }),
      { op: 'delete', kind: 'element', id: fan },
    ])
    for (const id of [pump, world.element]) {
      expect((await world.stack.get(`${world.building}/elements/${id}`)).body.serves).toEqual([])
    }
    const late = await world.draft([
      { op: 'delete', kind: 'element', id: pump },
      update('element', world.element, { serves: [pump] }),
    ])
    expect(late.body.errors).toMatchObject([{ pointer: '/operations/1/data/serves' }])
  })

  it('keeps an element on the storey of its space when its spaceId is set to null', async () => {
    const [attic, made] = [storey(), randomUUID()]
    const room = space(attic.id)
    const { body: seeded } = await world.stack.get(`${world.building}/elements/${world.element}`)
    await world.apply([
      attic,
      room,
      {
        op: 'create',
        kind: 'element',
        id: made,
        data: { name: 'Lamp', elementTypeSlug: 'ahu', spaceId: room.id },
      },
      update('element', made, { spaceId: null }),
      update('element', world.element, { spaceId: world.spaces[1] }),
      update('element', world.element, { spaceId: room.id }),
      update('element', world.element, { spaceId: null }),
    ])
    expect(seeded.spaceId).not.toBe(room.id)
    for (const id of [made, world.element]) {
      const { body } = await world.stack.get(`${world.building}/elements/${id}`)
      expect(body).toMatchObject({ spaceId: null, storeyId: attic.id })
    }
  })

  it('[CHG-12] is refused if nodes were changed or deleted since the draft; the problem names them all', async () => {
    const [first, second, third] = [space(world.storey), space(world.storey), space(world.storey)]
    await world.apply([first, second, third])
    const path = await world.approve([
      update('space', first.id, { name: 'Mine' }),
      update('space', second.id, { name: 'Mine' }),
      { op: 'delete', kind: 'space', id: third.id },
      update('storey', world.storey, { name: 'Free' }),
    ])
    expect((await diff(path)).conflicts).toEqual([])
    await patch(`spaces/${first.id}`, { capacity: 7 })
    await refused(path, [first.id])
    await world.stack.send('DELETE', `${world.building}/spaces/${second.id}`)
    await world.stack.send('POST', `${world.building}/spaces/${third.id}/external-ids`, {
      sourceSystem: 'crm',
      externalId: 'R-7',
    })
    await refused(path, [first.id, second.id, third.id])
    expect((await diff(path)).changes.map((change: { nodeId: string }) => change.nodeId)).toContain(world.storey)
  })

  it('[CHG-11, CHG-12] is refused if a parent was deleted, or a code or an external id is already used', async () => {
    const attic = storey()
    await world.apply([attic])
    const path = await world.approve([
      update('storey', world.storey, { name: 'Never' }),
      space(attic.id),
      space(world.storey, { code: 'WANTED' }),
      space(world.storey, { sourceSystem: 'crm', externalId: 'WANTED' }),
    ])
    await world.stack.send('DELETE', `${world.building}/storeys/${attic.id}`)
    await refused(path, [attic.id], 'storeyId')
    const holder = await world.stack.send('POST', `${world.building}/storeys`, {
      ...storey().data,
      code: 'WANTED',
    })
    const owner = await world.stack.send('POST', `${world.building}/storeys`, {
      ...storey().data,
      sourceSystem: 'crm',
      externalId: 'WANTED',
    })
    await refused(path, [attic.id, holder.body.id, owner.body.id])
  })

  it('[CHG-12] is refused if a node to delete has new children, or an id to create is already used', async () => {
    const [attic, next] = [storey(), storey()]
    await world.apply([attic])
    const path = await world.approve([{ op: 'delete', kind: 'storey', id: attic.id }, next])
    const twin = await world.approve([next])
    await world.apply([space(attic.id)])
    await refused(path, [attic.id], 'id')
    expect((await apply(twin)).status).toBe(200)
    await refused(path, [attic.id, next.id], 'id')
  })

  it('[CHG-11, CHG-12] succeeds for only one of several concurrent changesets of the same node', async () => {
    const room = space(world.storey)
    await world.apply([room])
    const paths = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        world.approve([update('space', room.id, { name }), storey({ name, code: `RACE-${name}` })]),
      ),
    )
    const { revision } = await world.state()
    const answers = await Promise.all(paths.map(apply))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect((await world.state()).revision).toBe(revision + 1)
    const winner = 'abc'[answers.findIndex(({ status }) => status === 200)]!
    for (const [i, path] of paths.entries()) {
      if (answers[i]!.status === 409) expect(answers[i]!.body.nodeIds).toEqual([room.id])
      expect((await world.stack.get(path)).body.state).toBe(answers[i]!.status === 200 ? 'applied' : 'approved')
    }
    const { body: storeys } = await world.stack.get(`${world.building}/storeys?limit=200`)
    const made = storeys.data.filter((one: { code: string }) => one.code.startsWith('RACE-'))
    expect(made).toMatchObject([{ name: winner }])
    expect((await world.stack.get(`${world.building}/spaces/${room.id}`)).body.name).toBe(winner)
  })

  it('writes no revision when nothing changes', async () => {
    const room = space(world.storey)
    await world.apply([room])
    const before = await world.state()
    const path = await world.approve([update('space', room.id, { name: 'Room' })])
    expect((await apply(path)).body).toMatchObject({ state: 'applied', appliedRevision: null })
    expect(await diff(path)).toMatchObject({ changes: [], conflicts: [] })
    const reverted = await world.stack.send('POST', `${path}/revert`)
    expect(reverted.body).toMatchObject({ state: 'reverted', revertedRevision: null })
    expect(await world.state()).toEqual(before)
  })

  it('requires the permission of the step, as submit, review and revert do', async () => {
    const path = await world.approve([storey()])
    const writer = await world.signIn('writer', ['building-graph-writer'])
    for (const step of ['submit', 'review', 'apply', 'revert']) {
      const body = step === 'review' ? { decision: 'approve' } : undefined
      expect((await world.stack.send('POST', `${path}/${step}`, body, writer)).status, step).toBe(403)
      expect((await world.stack.send('POST', `${path}/${step}`, body, null)).status, step).toBe(401)
    }
  })

  it('accepts a thousand operations', async () => {
    const attic = storey()
    const rooms = Array.from({ length: 999 }, (_, i) => space(attic.id, { name: `Room ${i}` }))
    await world.apply([attic, ...rooms])
    const path = await world.approve(rooms.map(({ id }) => update('space', id, { capacity: 1 })))
    expect((await apply(path)).body).toMatchObject({ state: 'applied', operationCount: 999 })
    expect((await diff(path)).changes).toHaveLength(999)
    const { body } = await world.stack.get(`${world.building}/spaces?storeyId=${attic.id}&limit=1000`)
    expect(body.data.every((room: { capacity: number }) => room.capacity === 1)).toBe(true)
  })
})
