import { elementTypeOfIfc, spaceType } from '@storey/contract'
import type { IfcElement, IfcSpace } from '@storey/ifc'

/**
 * Patterns for the names and the object type of a room in an IFC model, with the type of the room. The first pattern
 * that matches decides; the default is `other`. `(?<!\p{L})` is the start of a word, for texts that also occur inside
 * unrelated words, such as `duct` in "production". It is used because `\b` knows only ASCII letters. Most patterns do
 * not require the end of a word, because of Russian endings and German compounds.
 */
const SPACE_WORDS: readonly [RegExp, string][] = [
  [/\b(lift|elevator)s?[ -]?(lobby|hall|foyer|vestibule)\b/i, 'lift-lobby'],
  [/aufz[uü]ge?s?[ -]?(vor(raum|platz|halle)|halle|foyer|lobby)/i, 'lift-lobby'],
  [/vor(raum|platz|halle)[ -](\p{L}{1,20} )?\p{L}{0,20}aufz[uü]g/iu, 'lift-lobby'],
  [/лифт\p{L}{0,4}[ -]?(холл|вестибюл|тамбур)|(холл|вестибюл|тамбур)\p{L}{0,4}[ -](\p{L}{1,20} )?лифт/iu, 'lift-lobby'],
  [/\b(lift|elevator)( shaft)?\b|aufzug|лифт/i, 'lift-shaft'],
  [/stair|treppe|лестни/i, 'stair'],
  [/corridor|hallway|passage|flur|\bgang\b|коридор/i, 'corridor'],
  [/first[ -]?aid|sanitätsraum|erste[ -]hilfe|медпункт/i, 'first-aid-room'],
  [/toilet|restroom|washroom|bathroom|lavatory|\bw\.?c\.?\b|sanit(?!äts)|санузел|туалет/i, 'toilet'],
  [/meeting|conference|besprechung|переговор/i, 'meeting-room'],
  [/open[ -]?(plan|office)|großraum/i, 'open-office'],
  [/auditorium|lecture/i, 'auditorium'],
  [/reception|empfang/i, 'reception'],
  [/lobby|foyer|entrance|(?<!\p{L})entry|vestibule|eingang|вестибюль|холл/iu, 'lobby'],
  [/kitchen|pantry|küche|кухня/i, 'kitchen'],
  [/cafeteria|canteen|dining|столовая/i, 'cafeteria'],
  [/(?<!\p{L})server|data ?cent/iu, 'server-room'],
  [/electric|switch ?room|elektro|щитовая/i, 'electrical-room'],
  [/telecom|comms|\bidf\b|\bmdf\b/i, 'telecom-room'],
  [/plant|mechanical|boiler|\bahu\b|hvac|technik|utility|(?<!\p{L})вент/iu, 'plant-room'],
  [/janitor|clean|уборочн/i, 'cleaning-room'],
  [/stor(e(?!y)|age)|lager|closet|склад|кладов|инвентар/i, 'storage'],
  [/shaft|riser|(?<!\p{L})duct|шахта/iu, 'shaft'],
  [/parking|garage|car ?park|парковк|гараж/i, 'parking'],
  [/terrace|balcony|deck|roof/i, 'terrace'],
  [/atrium/i, 'atrium'],
  [/(?<!work)shop|retail|магазин/i, 'shop'],
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
