import { expect, it } from 'vitest'
import type { BuildingModel } from '../../building/model.ts'
import { type RuleScope, watchedPoints } from './watched-points.ts'

const points = [
  {
    id: 'a',
    elementId: 'vav',
    quantityKind: 'Temperature',
    unit: 'DEG_C',
    pointType: 'SENSOR',
    name: 'Zone temperature',
  },
  { id: 'b', elementId: 'vav', quantityKind: 'Temperature', unit: 'DEG_C', pointType: 'SETPOINT' },
  { id: 'c', elementId: 'ahu', quantityKind: 'Pressure', unit: 'PA', pointType: 'SENSOR' },
]
const model = {
  points,
  point: (id: string) => points.find((point) => point.id === id),
  element: (id: string) => ({ id, elementTypeSlug: id }),
} as unknown as BuildingModel
const ALL: RuleScope = {
  ...{ pointId: null, pointName: null, quantityKind: null },
  ...{ unit: null, pointType: null, elementTypeSlug: null },
}
const ids = (scope: Partial<RuleScope>) => watchedPoints({ ...ALL, ...scope }, model).map(({ id }) => id)

it('a rule watches the points that match every field it has', () => {
  expect(ids({})).toEqual([])
  expect(ids({ quantityKind: 'Temperature' })).toEqual(['a', 'b'])
  expect(ids({ quantityKind: 'Temperature', pointType: 'SENSOR' })).toEqual(['a'])
  expect(ids({ elementTypeSlug: 'ahu' })).toEqual(['c'])
  expect(ids({ pointId: 'b' })).toEqual(['b'])
  expect(ids({ pointId: 'b', unit: 'PA' })).toEqual([])
  expect(ids({ pointId: 'gone' })).toEqual([])
  expect(ids({ pointName: 'Zone temperature' })).toEqual(['a'])
  expect(ids({ pointName: 'zone temperature' })).toEqual([])
})
