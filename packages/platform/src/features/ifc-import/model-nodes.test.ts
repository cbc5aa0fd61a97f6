import type { IfcModel } from '@storey/ifc'
import { describe, expect, it } from 'vitest'
import { storeyIndexes } from './model-nodes.ts'

const indexes = (...elevations: (number | null)[]) => {
  const storeys = elevations.map((elevationM, i) => ({ globalId: `${i}`, name: `${i}`, elevationM }))
  return [...storeyIndexes({ storeys } as unknown as IfcModel).values()]
}

describe('the index of a storey', () => {
  it('[IMP-38] is 0 for the storey nearest to 0 m', () => {
    expect(indexes(-6, -2.75, 0.15, 3.5)).toEqual([-2, -1, 0, 1])
    expect(indexes(2, 5, 8)).toEqual([0, 1, 2])
  })

  it('[IMP-38] is not 0 for a storey of unknown elevation, unless all elevations are unknown', () => {
    expect(indexes(0.15, 3.5, null)).toEqual([0, 1, 2])
    expect(indexes(null, null, null)).toEqual([0, 1, 2])
  })
})
