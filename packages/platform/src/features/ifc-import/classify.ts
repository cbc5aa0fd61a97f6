import { elementTypeOfIfc, spaceType } from '@storey/contract'
import type { IfcElement, IfcSpace } from '@storey/ifc'

/** The type of a room by the names in the model. The first match counts; the default is `other`. */
const SPACE_WORDS: readonly [RegExp, string][] = [
  [/\b(lift|elevator) ?lobby\b/i, 'lift-lobby'],
  [/\b(lift|elevator)( shaft)?\b|aufzug|лифт/i, 'lift-shaft'],
  [/stair|treppe|лестни/i, 'stair'],
  [/corridor|hallway|passage|flur|\bgang\b|коридор/i, 'corridor'],
  [/toilet|restroom|washroom|bathroom|lavatory|\bw\.?c\.?\b|sanit|санузел|туалет/i, 'toilet'],
  [/meeting|conference|besprechung|переговор/i, 'meeting-room'],
  [/open[ -]?(plan|office)|großraum/i, 'open-office'],
  [/auditorium|lecture/i, 'auditorium'],
  [/reception|empfang/i, 'reception'],
  [/lobby|foyer|entrance|entry|vestibule|eingang|вестибюль|холл/i, 'lobby'],
  [/kitchen|pantry|küche|кухня/i, 'kitchen'],
  [/cafeteria|canteen|dining|столовая/i, 'cafeteria'],
  [/server|data ?cent/i, 'server-room'],
  [/electric|switch ?room|elektro|щитовая/i, 'electrical-room'],
  [/telecom|comms|\bidf\b|\bmdf\b/i, 'telecom-room'],
  [/plant|mechanical|boiler|\bahu\b|hvac|technik|utility|вент/i, 'plant-room'],
  [/janitor|clean/i, 'cleaning-room'],
  [/stor(e(?!y)|age)|lager|closet|склад|кладов/i, 'storage'],
  [/shaft|riser|duct|шахта/i, 'shaft'],
  [/parking|garage|car ?park|парковк|гараж/i, 'parking'],
  [/terrace|balcony|deck|roof/i, 'terrace'],
  [/atrium/i, 'atrium'],
  [/shop|retail|магазин/i, 'shop'],
  [/restaurant|ресторан/i, 'restaurant'],
  [/gym|fitness/i, 'gym'],
  [/lounge|break ?room/i, 'lounge'],
  [/office|büro|офис|кабинет/i, 'private-office'],
]

export function spaceTypeOf({ name, longName, objectType }: IfcSpace): string {
  const words = [longName, objectType, name].filter((word) => word !== null).join(' ')
  const slug = SPACE_WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'other'
  return spaceType(slug) ? slug : 'other'
}

export function elementTypeOf({ ifcClass, predefinedType }: IfcElement): string {
  return elementTypeOfIfc(ifcClass, predefinedType ?? undefined)?.slug ?? 'other'
}
