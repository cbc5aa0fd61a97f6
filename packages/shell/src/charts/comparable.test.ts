import type { BuildingRecord, Graph } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { modelOf } from '../building/model.ts'
import { comparableWith, MAX_POINTS, namesOf } from './comparable.ts'

const element = (id: string, spaceId: string) => ({ id, name: `VAV ${id}`, spaceId, serves: [] })
const point = (id: string, elementId: string, name: string, pointType = 'SENSOR', unit = 'DEG_C') => ({
  id,
  elementId,
  name,
  pointType,
  unit,
  quantityKind: unit === 'DEG_C' ? 'Temperature' : 'Other',
})
const model = modelOf(
  {} as BuildingRecord,
  {
    revision: 1,
    storeys: [],
    spaces: [
      { id: 'a', name: 'Room A', storeyId: 's' },
      { id: 'b', name: 'Room B', storeyId: 's' },
    ],
    elements: [element('1', 'a'), element('2', 'b')],
    points: [
      point('t1', '1', 'Zone temperature'),
      point('sp', '1', 'Heating setpoint', 'SETPOINT'),
      point('kw', '1', 'Power', 'SENSOR', 'KiloW'),
      point('co2', '1', 'CO₂', 'SENSOR', 'PPM'),
      point('d2', '2', 'Discharge air temperature'),
      point('t2', '2', 'Zone temperature'),
    ],
  } as unknown as Graph,
)
const points = (...ids: string[]) => ids.map((id) => model.point(id)!)
const ids = (found: readonly { id: string }[]) => found.map(({ id }) => id)

describe('the points that can be added to a chart', () => {
  it('[TIM-04] are those of the room, then the same kind of point in other rooms; setpoints of the room are suggested', () => {
    const { suggested, addable } = comparableWith(model, points('t1'))
    expect(ids(suggested)).toEqual(['sp'])
    expect(ids(addable)).toEqual(['sp', 'kw', 'co2', 't2', 'd2'])
  })

  it('have one of the two units of the chart, if the chart has two', () => {
    expect(ids(comparableWith(model, points('t1', 'kw')).addable)).toEqual(['sp', 't2', 'd2'])
  })

  it('are none if the chart is full', () => {
    const full = Array.from({ length: MAX_POINTS }, () => model.point('t1')!)
    expect(comparableWith(model, full).addable).toEqual([])
  })
})

it('the points of a chart get names that distinguish them', () => {
  expect(namesOf(model, points('t1', 'sp'))).toEqual(['Zone temperature', 'Heating setpoint'])
  expect(namesOf(model, points('t1', 't2'))).toEqual(['Zone temperature · Room A', 'Zone temperature · Room B'])
})
