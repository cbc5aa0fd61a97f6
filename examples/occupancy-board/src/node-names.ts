import type { Rooms } from './rooms.ts'
import { typeNameIn } from './type-names.ts'

const STOREYS: readonly [english: RegExp, russian: string][] = [
  [/^Ground storey$/, 'Нулевой этаж'],
  [/^Parking (\d+)$/, 'Парковка $1'],
  [/^Storey (\d+)$/, 'Этаж $1'],
  [/^Storey (\d+) \(top\)$/, 'Этаж $1 (верхний)'],
]

/** `Meeting room L02.05`: the type of the room and a number. */
const NUMBERED = /^(.+) (\S*\d\S*)$/

/**
 * The rooms and storeys with names in the language of the page. Names that the platform generates, by type and number,
 * are translated; names that people gave stay as they are.
 */
export function inLanguage<T extends Rooms>(data: T, locale: 'en' | 'ru', typeNames: ReadonlyMap<string, string>): T {
  if (locale === 'en') return data
  const typeName = typeNameIn(locale, typeNames)
  return {
    ...data,
    storeys: data.storeys.map((storey) => {
      const [english, russian] = STOREYS.find(([pattern]) => pattern.test(storey.name)) ?? []
      return english ? { ...storey, name: storey.name.replace(english, russian!) } : storey
    }),
    rooms: data.rooms.map((room) => {
      const [, type, number] = NUMBERED.exec(room.name) ?? [undefined, room.name, undefined]
      if (type !== typeNames.get(room.typeSlug)) return room
      return { ...room, name: [typeName(room.typeSlug), number].filter((part) => part !== undefined).join(' ') }
    }),
  }
}
