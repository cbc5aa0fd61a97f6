import type { State } from './occupancy.ts'
import type { RoomOccupancy } from './use-occupancy.ts'

export const COLUMNS = ['name', 'storey', 'type', 'state', 'people', 'age'] as const
export type Column = (typeof COLUMNS)[number]

export interface Choice {
  search: string
  storeyId: string | undefined
  typeSlug: string | undefined
  state: State | undefined
  sort: Column
  isDescending: boolean
}

export const EVERYTHING: Choice = {
  search: '',
  storeyId: undefined,
  typeSlug: undefined,
  state: undefined,
  sort: 'state',
  isDescending: false,
}

/** The rooms that match the given storey, type, state and search text. */
export function chosen(rows: readonly RoomOccupancy[], choice: Partial<Choice>): RoomOccupancy[] {
  const wanted = choice.search?.trim().toLocaleLowerCase() ?? ''
  return rows.filter(
    ({ room, state }) =>
      (choice.storeyId === undefined || room.storeyId === choice.storeyId) &&
      (choice.typeSlug === undefined || room.typeSlug === choice.typeSlug) &&
      (choice.state === undefined || state === choice.state) &&
      room.name.toLocaleLowerCase().includes(wanted),
  )
}

export interface Order {
  storeyIds: readonly string[]
  typeName(slug: string): string
  locale: string
}

/** In ascending order free rooms come first. Rooms whose state is unknown come last in either direction. */
const PLACE: Record<State, number> = { free: 0, filling: 1, used: 2, full: 3, unknown: 4 }

export function sorted(
  rows: readonly RoomOccupancy[],
  { sort, isDescending }: Pick<Choice, 'sort' | 'isDescending'>,
  { storeyIds, typeName, locale }: Order,
): RoomOccupancy[] {
  const { compare } = new Intl.Collator(locale, { numeric: true })
  const keyOf: Record<Column, (row: RoomOccupancy) => number | string | undefined> = {
    name: ({ room }) => room.name,
    storey: ({ room }) => -storeyIds.indexOf(room.storeyId),
    type: ({ room }) => typeName(room.typeSlug),
    state: ({ state }) => (state === 'unknown' ? undefined : PLACE[state]),
    people: ({ count, room }) => (count === undefined ? undefined : count / room.capacity),
    age: ({ at }) => (at === undefined ? undefined : -at),
  }
  const key = keyOf[sort]
  const way = isDescending ? -1 : 1
  return [...rows].sort((a, b) => {
    const [left, right] = [key(a), key(b)]
    const byName = compare(a.room.name, b.room.name)
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined) || byName
    const order = typeof left === 'string' ? compare(left, String(right)) : left - Number(right)
    return order * way || byName
  })
}

export interface Total {
  rooms: number
  free: number
  states: Record<State, number>
  /** People in the rooms whose current count is known, and the capacity of those rooms. */
  people: number
  places: number
  counted: number
}

export function totalOf(rows: readonly RoomOccupancy[]): Total {
  const states: Total['states'] = { free: 0, filling: 0, used: 0, full: 0, unknown: 0 }
  const total = { rooms: rows.length, free: 0, states, people: 0, places: 0, counted: 0 }
  for (const { state, count, room } of rows) {
    states[state] += 1
    if (state === 'unknown' || count === undefined) continue
    total.people += count
    total.places += room.capacity
    total.counted += 1
  }
  total.free = states.free
  return total
}
