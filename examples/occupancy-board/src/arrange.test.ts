import { describe, expect, it } from 'vitest'
import { chosen, sorted, totalOf } from './arrange.ts'
import type { RoomOccupancy } from './use-occupancy.ts'

const row = (name: string, capacity: number, rest: Partial<RoomOccupancy>, storeyId = 'a'): RoomOccupancy => ({
  room: { id: name, name, storeyId, typeSlug: 'meeting-room', capacity, counters: [], presences: [] },
  state: 'unknown',
  count: undefined,
  at: undefined,
  ...rest,
})
const ROWS = [
  row('Room 10', 4, { state: 'full', count: 4, at: 5 }),
  row('Room 9', 10, { state: 'free', count: 0, at: 9 }),
  row('Lab', 20, { state: 'filling', count: 10, at: 7 }, 'b'),
  row('Attic', 6, {}),
]
const order = { storeyIds: ['b', 'a'], typeName: (slug: string) => slug, locale: 'en' }
const names = (rows: RoomOccupancy[]) => rows.map(({ room }) => room.name)

describe('the list of rooms', () => {
  it('is sorted in either direction, with Room 9 before Room 10, and with unknown values always last', () => {
    const by = (sort: 'name' | 'people' | 'state' | 'age', isDescending = false) =>
      names(sorted(ROWS, { sort, isDescending }, order))
    expect(by('name')).toEqual(['Attic', 'Lab', 'Room 9', 'Room 10'])
    expect(by('people')).toEqual(['Room 9', 'Lab', 'Room 10', 'Attic'])
    expect(by('people', true)).toEqual(['Room 10', 'Lab', 'Room 9', 'Attic'])
    expect(by('state', true)).toEqual(['Room 10', 'Lab', 'Room 9', 'Attic'])
    expect(by('age')).toEqual(['Room 9', 'Lab', 'Room 10', 'Attic'])
  })

  it('is filtered by storey, state and name', () => {
    expect(names(chosen(ROWS, { storeyId: 'a', search: ' ROOM' }))).toEqual(['Room 10', 'Room 9'])
    expect(names(chosen(ROWS, { state: 'free' }))).toEqual(['Room 9'])
    expect(names(chosen(ROWS, {}))).toHaveLength(4)
  })

  it('adds up people and places of the rooms that have a count', () => {
    expect(totalOf(ROWS)).toMatchObject({ rooms: 4, free: 1, people: 14, places: 34, counted: 3 })
    expect(totalOf(ROWS).states).toEqual({ free: 1, filling: 1, used: 0, full: 1, unknown: 1 })
  })
})
