import { expect, it } from 'vitest'
import { inLanguage } from './node-names.ts'

const TYPES = new Map([
  ['meeting-room', 'Meeting room'],
  ['lobby', 'Lobby'],
])
const room = (name: string, typeSlug: string) => ({
  ...{ id: name, name, storeyId: 's', typeSlug, capacity: 4 },
  ...{ counters: [], presences: [] },
})
const storey = (name: string) => ({ id: name, name })
const data = {
  storeys: ['Ground storey', 'Storey 4', 'Storey 5 (top)', 'Parking 1', 'Mezzanine'].map(storey),
  rooms: [room('Meeting room L02.05', 'meeting-room'), room('Lobby', 'lobby'), room('Oak', 'meeting-room')],
}

it('translates the generated names of rooms and storeys', () => {
  const { storeys, rooms } = inLanguage(data, 'ru', TYPES)
  expect(storeys.map(({ name }) => name)).toEqual([
    ...['Нулевой этаж', 'Этаж 4', 'Этаж 5 (верхний)', 'Парковка 1'],
    'Mezzanine',
  ])
  expect(rooms.map(({ name }) => name)).toEqual(['Переговорная L02.05', 'Вестибюль', 'Oak'])
  expect(inLanguage(data, 'en', TYPES)).toBe(data)
})
