import { describe, expect, it } from 'vitest'
import {
  countWatches,
  createWatchList,
  findWatch,
  type PointGroup,
  slotOfPoint,
  type WatchedRule,
} from './watch-list.ts'

const BARE: WatchedRule = {
  ...{ id: '', kind: 'threshold', severity: 'minor', enabled: true, isDefault: false, createdAtMs: 0 },
  ...{ pointName: null, quantityKind: null, unit: null, pointType: null, elementTypeSlug: null },
  ...{ pointId: null, point: null },
  ...{ above: 1, below: null, durationSeconds: 0 },
}
const group = (points: number[], pointType: string, elementTypeSlug: string, pointName?: string): PointGroup => ({
  ...{ points, pointName: pointName ?? null, pointType, elementTypeSlug, quantityKind: 'Temperature', unit: 'DEG_C' },
})
const GROUPS = [group([7, 9], 'SENSOR', 'vav'), group([8], 'SENSOR', 'ahu'), group([1_000_000], 'SETPOINT', 'vav')]

/** The points that each rule watches. */
const watched = (rules: WatchedRule[]) => {
  const list = createWatchList(rules, GROUPS)
  expect(countWatches(rules, GROUPS)).toBe(list.ruleOf.length)
  return list.rules.map((_, rule) =>
    Array.from(list.points.subarray(1))
      .filter((point) => findWatch(list, rule, point) >= 0)
      .sort((a, b) => a - b),
  )
}

describe('a watch list', () => {
  it('has the points that match all fields of a rule', () => {
    const rules = [
      { ...BARE, pointType: 'SENSOR' },
      { ...BARE, elementTypeSlug: 'vav' },
      { ...BARE, pointType: 'SENSOR', elementTypeSlug: 'vav' },
      { ...BARE, quantityKind: 'Temperature', unit: 'K' },
      { ...BARE, pointId: 'x', point: 8 },
      { ...BARE, pointId: 'gone', point: null },
    ]
    expect(watched(rules)).toEqual([[7, 8, 9], [7, 9, 1_000_000], [7, 9], [], [8], []])
  })

  it('distinguishes points of one element by their names', () => {
    const box = [group([1], 'SENSOR', 'vav', 'Zone temperature'), group([2], 'SENSOR', 'vav')]
    const supply = { ...BARE, isDefault: true, elementTypeSlug: 'vav' }
    const zone = { ...supply, pointName: 'Zone temperature' }
    const list = createWatchList([supply, zone], box)
    expect([1, 2].map((point) => [0, 1].filter((rule) => findWatch(list, rule, point) >= 0))).toEqual([[1], [0]])
  })

  it('leaves out points that no rule watches', () => {
    const list = createWatchList([{ ...BARE, pointId: 'x', point: 8 }], GROUPS)
    expect([6, 7, 8, 9, 0, -1, 2_000_000].map((point) => slotOfPoint(list, point))).toEqual([0, 0, 1, 0, 0, 0, 0])
    expect(createWatchList([], GROUPS).points).toHaveLength(1)
  })

  it('prefers the more specific of two default rules of one kind, even if the more specific rule is disabled', () => {
    const general = { ...BARE, isDefault: true, pointType: 'SENSOR' }
    const particular = { ...general, elementTypeSlug: 'vav' }
    expect(watched([general, particular])).toEqual([[8], [7, 9]])
    expect(watched([general, { ...particular, enabled: false }])).toEqual([[8]])
    expect(watched([general, { ...particular, kind: 'stuck' }])).toEqual([
      [7, 8, 9],
      [7, 9],
    ])
    expect(watched([general, { ...particular, isDefault: false }])).toEqual([
      [7, 8, 9],
      [7, 9],
    ])
  })
})
