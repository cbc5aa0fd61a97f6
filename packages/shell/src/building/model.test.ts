import type { BuildingRecord, Graph } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { modelOf } from './model.ts'
import { reuseNodes } from './reuse-nodes.ts'

const building = {} as BuildingRecord
const graph = (names: Record<string, string>) =>
  ({
    revision: 1,
    storeys: ['l0', 'l1'].map((id, index) => ({ id, index })),
    spaces: Object.entries(names).map(([id, name]) => ({ id, name, storeyId: id.startsWith('a') ? 'l0' : 'l1' })),
    elements: [],
    points: [],
  }) as unknown as Graph

describe('a building that is read again', () => {
  const first = graph({ a1: 'Office', a2: 'Lobby', b1: 'Shop' })
  const before = modelOf(building, first)

  it('reuses the objects that did not change', () => {
    const after = modelOf(building, reuseNodes(first, graph({ a1: 'Office', a2: 'Lobby', b1: 'Kiosk' })), before)
    expect(after.space('a1')).toBe(before.space('a1'))
    expect(after.spacesOf('l0')).toBe(before.spacesOf('l0'))
    expect(after.storeys[0]).toBe(before.storeys[0])
  })

  it('has new objects for nodes that changed', () => {
    const after = modelOf(building, reuseNodes(first, graph({ a1: 'Office', b1: 'Kiosk', b2: 'New' })), before)
    expect(after.space('b1')?.name).toBe('Kiosk')
    expect(after.spacesOf('l1').map(({ name }) => name)).toEqual(['Kiosk', 'New'])
    expect(after.spacesOf('l0').map(({ id }) => id)).toEqual(['a1'])
    expect(after.space('a2')).toBeUndefined()
  })
})
