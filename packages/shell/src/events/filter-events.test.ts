import type { BuildingRecord, Graph } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { modelOf } from '../building/model.ts'
import type { Gap, LoggedEvent } from './event-log.ts'
import { createSearchTexts, type EventFilter, filterEvents, idsBelow, toJson } from './filter-events.ts'

const model = modelOf(
  {} as BuildingRecord,
  {
    revision: 1,
    storeys: [
      { id: 'l0', index: 0 },
      { id: 'l1', index: 1 },
    ],
    spaces: [
      { id: 'room', name: 'Library', code: 'R1', storeyId: 'l0' },
      { id: 'other', name: 'Lobby', code: 'R2', storeyId: 'l1' },
    ],
    elements: [
      { id: 'box', name: 'VAV box', code: 'VAV-1', spaceId: 'room', storeyId: null, serves: [] },
      { id: 'unit', name: 'Air handler', code: 'AHU-1', spaceId: null, storeyId: 'l1', serves: [] },
    ],
    points: [
      { id: 'temp', name: 'Zone temperature', code: 'VAV-1.ZNT', elementId: 'box' },
      { id: 'fan', name: 'Fan speed', code: 'AHU-1.FAN', elementId: 'unit' },
    ],
  } as unknown as Graph,
)

const event = (id: number, kind: LoggedEvent['kind'], fields: Record<string, unknown>): LoggedEvent => ({
  ...{ id, kind, fields, at: Date.parse('2026-03-01T12:00:00Z'), sequence: id, size: 1 },
})
const observed = (id: number, pointId: string, elementId: string) =>
  event(id, 'building.point.updated', { observations: [{ pointId, elementId, value: '21.5' }] })

const gap: Gap = { id: 5, kind: 'gap', at: 0, reason: 'interrupted', count: undefined }
const all = [
  observed(1, 'temp', 'box'),
  observed(2, 'fan', 'unit'),
  event(3, 'wifi-sensing.occupancy.changed', { spaceId: 'room', count: 3 }),
  event(4, 'building.alarm.triggered', { pointId: 'fan', elementId: 'unit', title: 'Fan stands still' }),
  gap,
]
const EVERYTHING: EventFilter = { kinds: [], nodeId: '', text: '' }
const ids = (filter: Partial<EventFilter>) =>
  filterEvents(all, { ...EVERYTHING, ...filter }, model, createSearchTexts(model)).map(({ id }) => id)

describe('the filter of events', () => {
  it('passes everything when it is empty', () => {
    expect(filterEvents(all, EVERYTHING, model, createSearchTexts(model))).toBe(all)
  })

  it('selects by kind, and keeps the gaps', () => {
    expect(ids({ kinds: ['building.point.updated'] })).toEqual([1, 2, 5])
    expect(ids({ kinds: ['building.alarm.triggered', 'wifi-sensing.occupancy.changed'] })).toEqual([3, 4, 5])
  })

  it('selects the events of a node and of everything below it', () => {
    expect([...idsBelow(model, 'l0')].sort()).toEqual(['box', 'l0', 'room', 'temp'])
    expect(ids({ nodeId: 'l0' })).toEqual([1, 3, 5])
    expect(ids({ nodeId: 'unit' })).toEqual([2, 4, 5])
    expect(ids({ nodeId: 'temp' })).toEqual([1, 5])
  })

  it('finds texts in the fields and in the names of the nodes, in upper or lower case', () => {
    expect(ids({ text: 'STANDS' })).toEqual([4, 5])
    expect(ids({ text: 'zone temp' })).toEqual([1, 5])
    expect(ids({ text: 'library' })).toEqual([1, 3, 5])
    expect(ids({ text: 'ahu-1', kinds: ['building.point.updated'] })).toEqual([2, 5])
  })
})

it('copied events have their name, sequence number, time of receipt and fields', () => {
  const copied = { event: 'wifi-sensing.occupancy.changed', sequence: 3, receivedAt: '2026-03-01T12:00:00.000Z' }
  expect(JSON.parse(toJson([all[2]!]))).toEqual({ ...copied, data: { spaceId: 'room', count: 3 } })
  expect(JSON.parse(toJson(all)).map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3, 4])
})
