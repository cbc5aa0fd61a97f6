import { describe, expect, it } from 'vitest'
import type { BuildingModel } from './model.ts'
import { storeyFor } from './storey-for.ts'

const storeys = [-1, 0, 1].map((index) => ({ id: `s${index}`, code: `L${index}`, index }))
const model = {
  storeys,
  storeyOf: (id: string) => (id === 'room' ? storeys[2] : undefined),
} as unknown as BuildingModel
const at = (path: string, query = '') => storeyFor(model, path, new URLSearchParams(query))?.code

describe('the storey for a URL', () => {
  it('is the storey in the query', () => {
    expect(at('/plan', 'storey=L-1')).toBe('L-1')
  })

  it('is the storey of the room in the URL, even if the query names another storey', () => {
    expect([at('/rooms/room'), at('/plan', 'room=room&storey=L-1')]).toEqual(['L1', 'L1'])
  })

  it('defaults to the ground storey', () => {
    expect([at('/plan'), at('/plan', 'storey=gone'), at('/rooms/gone')]).toEqual(['L0', 'L0', 'L0'])
  })
})
