import type { BuildingRecord, Graph } from '@storey/sdk'
import { expect, it } from 'vitest'
import { modelOf } from './model.ts'

it('finds all equipment that feeds a room or an element, and which equipment feeds a room from outside', () => {
  const graph = {
    revision: 1,
    storeys: [],
    spaces: [{ id: 'room', storeyId: 'l0' }],
    elements: [
      { id: 'ahu', spaceId: 'plant', serves: ['vav', 'room'] },
      { id: 'vav', spaceId: 'room', serves: ['room'] },
    ],
    points: [],
  } as unknown as Graph
  const model = modelOf({} as BuildingRecord, graph)
  const ids = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => id)
  expect(ids(model.feeding('vav'))).toEqual(['ahu'])
  expect(ids(model.feeding('room'))).toEqual(['ahu', 'vav'])
  expect(ids(model.serving('room'))).toEqual(['ahu'])
  expect(model.feeding('ahu')).toEqual([])
})
