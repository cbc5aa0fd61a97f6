import { describe, expect, it } from 'vitest'
import type { BuildingModel } from '../../building/model.ts'
import { type RuleScope, type WatchingRule, watchedPoints } from './watched-points.ts'

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
const ids = (scope: Partial<RuleScope>) =>
  watchedPoints({ ...ALL, ...scope, id: 'rule', kind: 'threshold', isDefault: false }, [], model).map(({ id }) => id)

it('a rule watches the points that match every field it has, and no points if it has no fields', () => {
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

describe('of the default rules of one kind that match a point', () => {
  const rule = (id: string, more: Partial<WatchingRule>): WatchingRule => ({
    ...{ ...ALL, id, kind: 'threshold', isDefault: true },
    ...more,
  })
  const general = rule('general', { quantityKind: 'Temperature' })
  const specific = rule('specific', { quantityKind: 'Temperature', pointType: 'SENSOR' })
  const watched = (of: WatchingRule, rules: WatchingRule[]) => watchedPoints(of, rules, model).map(({ id }) => id)

  it('only those with the most fields watch the point', () => {
    expect(watched(general, [general, specific])).toEqual(['b'])
    expect(watched(specific, [general, specific])).toEqual(['a'])
    const equal = rule('equal', { unit: 'DEG_C' })
    expect(watched(general, [general, equal])).toEqual(['a', 'b'])
  })

  it('none is overridden by a user’s rule, a rule of another kind or a rule for one point, and none overrides a user’s rule', () => {
    for (const other of [
      { ...specific, isDefault: false },
      { ...specific, kind: 'stuck' as const },
      { ...specific, pointId: 'a' },
    ])
      expect(watched(general, [general, other])).toEqual(['a', 'b'])
    const own = { ...general, isDefault: false }
    expect(watched(own, [own, specific])).toEqual(['a', 'b'])
  })

  it('none is overridden by its own stored version while it is edited', () => {
    expect(watched({ ...general, id: 'specific' }, [specific])).toEqual(['a', 'b'])
  })
})
