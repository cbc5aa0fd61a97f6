import type { PointNode } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import type { BuildingModel } from '../building/model.ts'
import { findSignal, signalsOf } from './signals.ts'

const point = (id: string, quantityKind: string, unit = 'PERCENT') =>
  ({ id, name: 'Level', quantityKind, unit, pointType: 'SENSOR' }) as PointNode
const modelOf = (points: readonly PointNode[]) =>
  ({ points, spaceOf: (id: string) => ({ id: `room of ${id}` }) }) as unknown as BuildingModel

describe('the signals of a building', () => {
  const points = [
    point('a', 'RelativeHumidity'),
    point('b', 'DimensionlessRatio'),
    point('c', 'DimensionlessRatio'),
    point('d', 'Temperature', 'DEG_C'),
  ]
  const signals = signalsOf(modelOf(points))

  it('have different ids if they differ only in the quantity kind; the first has the short id', () => {
    expect(signals.map(({ id, quantityKind }) => [id, quantityKind])).toEqual([
      ['Level~PERCENT', 'DimensionlessRatio'],
      ['Level~PERCENT.RelativeHumidity', 'RelativeHumidity'],
      ['Level~DEG_C', 'Temperature'],
    ])
  })

  it('have the same ids if the points are in another order', () => {
    const ids = (some: readonly PointNode[]) =>
      signalsOf(modelOf(some)).map(({ id, quantityKind }) => [id, quantityKind])
    const pair = points.slice(0, 2)
    expect(ids(pair.toReversed())).toEqual(ids(pair))
  })

  it('are found by the name, quantity kind and unit of a point', () => {
    expect(points.map((one) => findSignal(signals, one)?.id)).toEqual([
      'Level~PERCENT.RelativeHumidity',
      'Level~PERCENT',
      'Level~PERCENT',
      'Level~DEG_C',
    ])
    expect(findSignal(signals, point('e', 'Temperature', 'DEG_F'))).toBeUndefined()
  })
})
