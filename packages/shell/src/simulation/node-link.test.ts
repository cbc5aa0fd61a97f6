import type { BuildingRecord, Graph } from '@storey/sdk'
import { expect, it } from 'vitest'
import { modelOf } from '../building/model.ts'
import { storeyFor } from '../building/storey-for.ts'
import { nodeLink } from './node-link.ts'

const graph = {
  revision: 1,
  storeys: [
    { id: 's0', code: 'L0', name: 'Ground storey', index: 0 },
    { id: 's1', code: 'L 1', name: 'First storey', index: 1 },
  ],
  spaces: [{ id: 'room', name: 'Library', storeyId: 's1' }],
  elements: [{ id: 'box', name: 'VAV box', spaceId: 'room', serves: [] }],
  points: [{ id: 'temp', name: 'Zone temperature', elementId: 'box' }],
} as unknown as Graph
const model = modelOf({} as BuildingRecord, graph)

it('links a point, an element and a room to their pages', () => {
  expect(nodeLink(model, 'temp')).toEqual({ name: 'Zone temperature', to: '/points/temp' })
  expect(nodeLink(model, 'box')).toEqual({ name: 'VAV box', to: '/elements/box' })
  expect(nodeLink(model, 'room')).toEqual({ name: 'Library', to: '/rooms/room' })
  expect(nodeLink(model, 'gone')).toBeUndefined()
})

it('links a storey to its plan', () => {
  const { to } = nodeLink(model, 's1')!
  const { pathname, searchParams } = new URL(to, 'http://console')
  expect(storeyFor(model, pathname, searchParams)?.id).toBe('s1')
})
