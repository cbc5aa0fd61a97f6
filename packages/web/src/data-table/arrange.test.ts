import { describe, expect, it } from 'vitest'
import { type Arrangement, arrange } from './arrange.ts'
import type { DataColumn } from './column.ts'

interface Room {
  id: number
  name: string
  area: number | null
  status: string
  isLet: boolean
}
const rooms: Room[] = [
  { id: 1, name: 'Room 10', area: 20, status: 'bad', isLet: true },
  { id: 2, name: 'Room 9', area: null, status: 'good', isLet: false },
  { id: 3, name: 'Lobby', area: 120.5, status: 'fair', isLet: false },
]
const columns: DataColumn<Room>[] = [
  { key: 'name', title: 'Name', value: ({ name }) => name, filter: 'text' },
  { key: 'area', title: 'Area', value: ({ area }) => area, isNumeric: true, filter: 'text' },
  {
    key: 'status',
    title: 'Status',
    value: ({ status }) => status,
    filter: 'choice',
    choices: [
      { value: 'good', label: 'In order' },
      { value: 'fair', label: 'Worn' },
      { value: 'bad', label: 'Broken' },
    ],
  },
  { key: 'let', title: 'Let', value: ({ isLet }) => isLet, filter: 'choice' },
  { key: 'actions', title: 'Actions', value: () => 'hidden', hideTitle: true },
]
const options = { locale: 'en', booleanLabels: { yes: 'Yes', no: 'No' } } as const
const ids = (changed: Partial<Arrangement>) =>
  arrange(rooms, columns, { search: '', filters: {}, sort: undefined, ...changed }, options).map(({ id }) => id)
const sort = (key: string, isDescending = false) => ({ sort: { key, isDescending } })

describe('arrange', () => {
  it('returns the same rows without search, filters and sort', () => {
    expect(arrange(rooms, columns, { search: ' ', filters: {}, sort: undefined }, options)).toBe(rooms)
  })

  it('sorts texts in natural order (9 before 10), numbers by value, and missing values last in both directions', () => {
    expect(ids(sort('name'))).toEqual([3, 2, 1])
    expect(ids(sort('area'))).toEqual([1, 3, 2])
    expect(ids(sort('area', true))).toEqual([3, 1, 2])
  })

  it('sorts choices in their order, and booleans', () => {
    expect(ids(sort('status'))).toEqual([2, 3, 1])
    expect(ids(sort('status', true))).toEqual([1, 3, 2])
    expect(ids(sort('let'))).toEqual([2, 3, 1])
  })

  it('ignores an unknown sort column', () => {
    expect(ids(sort('unknown'))).toEqual([1, 2, 3])
  })

  it('filters by text, by choice and by a comparison', () => {
    expect(ids({ filters: { name: 'ROOM' } })).toEqual([1, 2])
    expect(ids({ filters: { status: 'fair' } })).toEqual([3])
    expect(ids({ filters: { let: 'false' } })).toEqual([2, 3])
    expect(ids({ filters: { area: '> 100' } })).toEqual([3])
    expect(ids({ filters: { area: '<=20' } })).toEqual([1])
    expect(ids({ filters: { area: '≥ 120,5' } })).toEqual([3])
    expect(ids({ filters: { area: '20' } })).toEqual([1, 3])
    expect(ids({ filters: { unknown: 'x' } })).toEqual([1, 2, 3])
  })

  it('finds rows that have each word of the search in any column, except columns of buttons', () => {
    expect(ids({ search: 'room broken' })).toEqual([1])
    expect(ids({ search: 'yes' })).toEqual([1])
    expect(ids({ search: 'hidden' })).toEqual([])
  })
})
