import type { ChangesetRecord, SpaceNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { fieldsOf, roomEditOf, spacePatchOf } from './room-edit.ts'

type Operations = ChangesetRecord['operations']
const room = { id: 'room', name: 'Office 1', spaceTypeSlug: 'office', status: 'active' } as SpaceNode
const update = (data: Record<string, unknown>): Operations[number] => ({
  op: 'update',
  kind: 'space',
  id: 'room',
  data,
})

describe('a changeset that the form can edit', () => {
  it('changes name, type or status of one room', () => {
    expect(roomEditOf([update({ name: 'Library', status: 'vacant' })])).toEqual({
      roomId: 'room',
      data: { name: 'Library', status: 'vacant' },
    })
  })

  it('has no other operations, kinds or fields', () => {
    const others: Operations[] = [
      [],
      [update({ name: 'Library' }), update({ status: 'vacant' })],
      [update({ name: 'Library', capacity: 4 })],
      [{ op: 'delete', kind: 'space', id: 'room' }],
      [{ op: 'update', kind: 'element', id: 'room', data: { name: 'Lamp' } }],
      [{ op: 'create', kind: 'space', id: 'room', data: { name: 'Library' } }],
    ]
    expect(others.map(roomEditOf)).toEqual(others.map(() => undefined))
  })
})

describe('the patch of the form', () => {
  it('contains the fields that differ from the room', () => {
    expect(spacePatchOf(room, fieldsOf(room))).toEqual({})
    expect(spacePatchOf(room, { name: ' ', spaceTypeSlug: 'office', status: 'active' })).toEqual({})
    expect(spacePatchOf(room, fieldsOf(room, { name: 'Library', status: 'vacant' }))).toEqual({
      name: 'Library',
      status: 'vacant',
    })
  })
})
