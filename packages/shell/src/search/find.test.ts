import type { BuildingRecord, Graph } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { modelOf } from '../building/model.ts'
import { find, searchIndex } from './find.ts'

const node = (id: string, name: string, code: string, externalId: string) => ({
  id,
  name,
  code,
  externalIds: [{ sourceSystem: 'ifc', externalId }],
})
const graph = {
  revision: 1,
  storeys: [{ ...node('l0', 'Ground storey', 'L00', 'S0'), index: 0 }],
  spaces: [
    { ...node('r1', 'Meeting room L00.03', 'L00-R03', '1NtXqVrYs9s2Ebvpn56EFt'), storeyId: 'l0' },
    { ...node('r2', 'Kitchen', 'L00-R04', '0aaaaaaaaaaaaaaaaaaaaa'), storeyId: 'l0' },
  ],
  elements: [{ ...node('e1', 'VAV 03', 'VAV-03', '2'), spaceId: 'r1', storeyId: null, serves: ['r2'] }],
  points: [{ ...node('p1', 'Zone temperature', 'VAV-03.ZT', '3'), elementId: 'e1' }],
} as unknown as Graph
const model = modelOf({ name: 'House' } as BuildingRecord, graph)
const index = searchIndex(model)
const ids = (query: string) => find(index, query).map(({ id }) => id)

describe('search', () => {
  it('finds by name, code and external id, in upper or lower case', () => {
    expect(ids('MEETING')).toEqual(['r1'])
    expect(ids('l00-r04')).toEqual(['r2'])
    expect(ids('1NtXqVrYs9s2Ebvpn56EFt')).toEqual(['r1'])
  })

  it('requires all words, in any order', () => {
    expect(ids('l00.03 room')).toEqual(['r1'])
    expect(ids('meeting kitchen')).toEqual([])
  })

  it('ranks an exact match before a prefix match', () => {
    expect(ids('vav-03')).toEqual(['e1', 'p1'])
  })

  it('shows the location of a point', () => {
    expect(find(index, 'zone')[0]?.place).toBe('VAV 03 · Meeting room L00.03 · Ground storey')
  })

  it('finds nothing for an empty query', () => {
    expect(ids('  ')).toEqual([])
  })
})

describe('the model of a building', () => {
  it('finds the room and the storey of a point, the points in a room, and the equipment that serves a room', () => {
    expect([model.spaceOf('p1')?.id, model.spaceOf('e1')?.id, model.storeyOf('p1')?.id]).toEqual(['r1', 'r1', 'l0'])
    expect(model.pointsIn('r1').map(({ id }) => id)).toEqual(['p1'])
    expect(model.serving('r2').map(({ id }) => id)).toEqual(['e1'])
  })
})
