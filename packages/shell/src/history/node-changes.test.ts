import type { ElementNode, PointNode, SpaceNode, StoreyNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import type { Change } from './changes.ts'
import {
  changedFields,
  marksByRoom,
  marksByStorey,
  nameOf,
  roomsWithChanges,
  storeysWithChanges,
} from './node-changes.ts'

const common = { externalId: null, externalIds: [], sourceSystem: null, code: 'X', createdAt: '', updatedAt: '' }
const space = (id: string, fields: Partial<SpaceNode> = {}): SpaceNode => ({
  ...common,
  id,
  name: `Room ${id}`,
  storeyId: 'ground',
  spaceTypeSlug: 'office',
  areaSqm: 12,
  status: 'active',
  isLeasable: false,
  capacity: null,
  polygon: null,
  ...fields,
})
const element = (id: string, spaceId: string | null): ElementNode => ({
  ...common,
  id,
  spaceId,
  storeyId: null,
  name: id,
  elementTypeSlug: 'vav',
  status: 'active',
  serves: [],
})
const point = (id: string, elementId: string): PointNode => ({
  ...common,
  id,
  elementId,
  pointType: 'SENSOR',
  name: id,
  quantityKind: 'Temperature',
  unit: 'DEG_C',
})
const change = (kind: Change['kind'], before: Change['before'], after: Change['after']): Change => ({
  op: before === null ? 'create' : after === null ? 'delete' : 'update',
  kind,
  nodeId: (after ?? before)!.id,
  before,
  after,
})
const graph = { spaces: [space('a'), space('b'), space('c')], elements: [element('vav', 'b')] }

describe('the changed fields of a node', () => {
  it('do not include timestamps', () => {
    const before = space('a', { updatedAt: 'then' })
    const after = space('a', { updatedAt: 'now', name: 'Library', capacity: 4 })
    expect(changedFields({ before, after })).toEqual([
      { field: 'name', before: 'Room a', after: 'Library' },
      { field: 'capacity', before: null, after: 4 },
    ])
    expect(nameOf({ before, after })).toBe('Library')
  })

  it('are empty for a created or deleted node', () => {
    expect(changedFields({ before: null, after: space('a') })).toEqual([])
    expect(nameOf({ before: space('a'), after: null })).toBe('Room a')
  })
})

describe('changes on a plan', () => {
  it('mark a room as added, removed or changed', () => {
    const changes = [
      change('space', null, space('new')),
      change('space', space('a'), space('a', { name: 'Library' })),
      change('space', space('gone'), null),
    ]
    expect([...marksByRoom(changes, graph)]).toEqual([
      ['new', 'added'],
      ['a', 'changed'],
      ['gone', 'removed'],
    ])
  })

  it('mark the room of equipment and points, and both rooms of moved equipment', () => {
    const changes = [
      change('point', null, point('co2', 'vav')),
      change('element', element('lamp', 'a'), element('lamp', 'c')),
    ]
    expect(Object.fromEntries(marksByRoom(changes, graph))).toEqual({ a: 'changed', b: 'changed', c: 'changed' })
  })

  it('mark a new room as added even if equipment was added to it', () => {
    const changes = [change('element', null, element('lamp', 'new')), change('space', null, space('new'))]
    expect(marksByRoom(changes, graph).get('new')).toBe('added')
  })

  it('include rooms that are not in the graph', () => {
    const changes = [change('space', space('gone', { storeyId: 'first' }), null)]
    const rooms = roomsWithChanges(changes, graph)
    expect(rooms.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'gone'])
    expect([...marksByStorey(marksByRoom(changes, graph), rooms)]).toEqual([['first', 1]])
  })

  it('include added and removed storeys, highest first', () => {
    const storey = (id: string, index: number) => ({ id, index }) as StoreyNode
    const changes = [change('storey', null, storey('attic', 2)), change('storey', storey('cellar', -1), null)]
    const storeys = storeysWithChanges(changes, { storeys: [storey('ground', 0)] })
    expect(storeys.map(({ id }) => id)).toEqual(['attic', 'ground', 'cellar'])
  })
})
