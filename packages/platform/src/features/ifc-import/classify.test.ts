import type { IfcSpace } from '@storey/ifc'
import { describe, expect, it } from 'vitest'
import { spaceTypeOf } from './classify.ts'

const typeOf = (longName: string) => spaceTypeOf({ name: '101', longName, objectType: null } as IfcSpace)

/** Names of rooms, by the type of the room. */
const NAMES: Record<string, readonly string[]> = {
  'lift-lobby': [
    ...['Lift lobby', 'Elevator Lobby 2', 'Lift hall', 'Elevator foyer'],
    ...['Aufzugsvorraum', 'Aufzugvorraum EG', 'Aufzugsvorplatz', 'Vorraum Aufzug', 'Vorraum zum Lastenaufzug'],
    ...['Лифтовой холл', 'ЛИФТОВЫЙ ХОЛЛ 3', 'Холл лифтовой', 'Холл грузового лифта', 'Лифт-холл', 'Лифтовой тамбур'],
  ],
  'lift-shaft': [
    ...['Lift', 'Elevator shaft', 'Aufzug 1', 'Aufzugsschacht', 'Lastenaufzug', 'Personenaufzug'],
    ...['Лифт', 'Лифтовая шахта', 'Шахта лифта', 'Грузовой лифт'],
  ],
  lobby: ['Entrance lobby', 'Entry', 'Eingangshalle', 'Холл', 'Вестибюль'],
  'server-room': ['Server room', 'Serverraum', 'Data centre'],
  'plant-room': [
    ...['Вентиляционная', 'Венткамера', 'Приточная вентиляция', 'Вент. камера', 'Приточно-вентиляционная'],
    ...['Plant room', 'AHU room', 'Technikraum', 'Haustechnikraum'],
  ],
  'cleaning-room': ['Janitor', 'Cleaner', 'Комната уборочного инвентаря', 'Кладовая уборочного инвентаря'],
  storage: ['Storage', 'Store 2', 'Lager', 'Склад', 'Кладовая', 'Инвентарная', 'Инвентарная кладовая'],
  shaft: ['Shaft', 'Duct', 'Air duct', 'Ducts', 'Ductwork', 'Riser', 'Шахта'],
  toilet: ['Уборная и туалет', 'Herren-WC', 'Sanitärraum', 'Sanitary facilities', 'Bloc sanitaire'],
  'first-aid-room': ['First aid', 'Sanitätsraum', 'Erste-Hilfe-Raum', 'Медпункт'],
  shop: ['Shop 12', 'Bookshop', 'Магазин'],
  other: ['Production hall', 'Product lab', 'Reserveraum', 'Ивент-зал', 'Carpentry', 'Workshop', 'Storey void'],
}

describe('the type of a room', () => {
  it.each(Object.entries(NAMES).flatMap(([slug, names]) => names.map((name) => [name, slug])))(
    'with the name %s is %s',
    (name, slug) => expect(typeOf(name!)).toBe(slug),
  )

  it('can come from the name or the object type, and is other if neither matches', () => {
    const space = { name: '1', longName: null, objectType: null } as IfcSpace
    expect(spaceTypeOf({ ...space, name: 'Лифтовой холл' })).toBe('lift-lobby')
    expect(spaceTypeOf({ ...space, objectType: 'Венткамера' })).toBe('plant-room')
    expect(spaceTypeOf(space)).toBe('other')
  })
})
