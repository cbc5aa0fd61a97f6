import { spaceType } from '@storey/contract/catalogs'
import type { BuildingSpec, Space, Storey } from './building.ts'
import type { PlacedRoom } from './geometry/room.ts'
import { outlineSqm } from './geometry/shapes.ts'
import { globalId } from './identity.ts'
import { VACANT_SHARE } from './programme/mall.ts'
import type { Random } from './random/random.ts'

/** Floor area per person in square metres, by space type. Spaces of other types have the capacity 0. */
const SQM_PER_PERSON: Record<string, number> = {
  'open-office': 10,
  'private-office': 12,
  'shared-office': 9,
  'meeting-room': 2.4,
  'phone-booth': 4,
  'training-room': 3.5,
  auditorium: 3,
  cafeteria: 3,
  'break-room': 3,
  kitchen: 4,
  reception: 6,
  lobby: 8,
  'management-office': 10,
  'security-room': 10,
  'copy-room': 10,
  shop: 8,
  'anchor-store': 9,
  restaurant: 2.5,
  'food-court': 2,
  concourse: 6,
  atrium: 6,
  'loading-dock': 40,
  parking: 25,
}

const SHOP_NAMES = [
  'Adler',
  'Birke',
  'Conrad',
  'Dahlia',
  'Esche',
  'Fiedler',
  'Gloria',
  'Hansen',
  'Iris',
  'Juno',
  'Kessler',
  'Lorenz',
  'Mira',
  'Nadel',
  'Orion',
  'Petri',
]
const TRADES = [
  'Books',
  'Shoes',
  'Optics',
  'Fashion',
  'Sports',
  'Toys',
  'Jewellery',
  'Electronics',
  'Pharmacy',
  'Home',
  'Cosmetics',
  'Flowers',
  'Bakery',
  'Travel',
  'Phones',
]
const KITCHENS = ['Grill', 'Noodles', 'Pizza', 'Bistro', 'Sushi', 'Café']
const ANCHORS: Record<string, string> = { west: 'Karl & Stern Department Store', east: 'Frischhof Market Hall' }

/** Turns placed rooms into spaces, numbered from the north-west, row by row. */
export function spacesOf(spec: BuildingSpec, storey: Storey, placed: readonly PlacedRoom[], random: Random): Space[] {
  const digits = placed.length > 99 ? 3 : 2
  return [...placed].sort(byPosition).map(({ request, outline }, i) => {
    const number = String(i + 1).padStart(digits, '0')
    const key = `${storey.key}/space/${i + 1}`
    const type = spaceType(request.type)!
    const isLeasable = type.leasable
    const sqm = outlineSqm(outline)
    const isVacant = request.type === 'shop' && random.chance(VACANT_SHARE)
    const isClosed = !isVacant && (request.type === 'toilet' || request.type === 'meeting-room') && random.chance(0.01)
    const code = `${storey.code}-${isLeasable ? 'U' : 'R'}${number}`
    const title = titleOf(request.type, type.name, request.label, random)
    return {
      key,
      globalId: globalId(spec.seed, key),
      code,
      name: isVacant ? `Vacant unit ${storey.code}.${number}` : (title ?? `${type.name} ${storey.code}.${number}`),
      storeyKey: storey.key,
      spaceType: request.type,
      // Areas below one square metre keep six decimals.
      areaSqm: sqm < 1 ? Math.round(sqm * 1e6) / 1e6 : Math.round(sqm * 100) / 100,
      status: isVacant ? 'vacant' : isClosed ? 'out_of_service' : 'active',
      isLeasable,
      capacity: capacityOf(request.type, sqm),
      polygon: outline.map(([x, y]): [number, number] => [x / 1000, y / 1000]),
    }
  })
}

function byPosition(a: PlacedRoom, b: PlacedRoom): number {
  const top = (room: PlacedRoom) => Math.max(...room.outline.map(([, y]) => y))
  const left = (room: PlacedRoom) => Math.min(...room.outline.map(([x]) => x))
  const bottom = (room: PlacedRoom) => Math.min(...room.outline.map(([, y]) => y))
  return top(b) - top(a) || left(a) - left(b) || bottom(b) - bottom(a)
}

function titleOf(type: string, typeName: string, label: string | undefined, random: Random): string | null {
  if (type === 'anchor-store') return ANCHORS[label ?? 'west']!
  if (type === 'shop') return `${random.pick(SHOP_NAMES)} ${random.pick(TRADES)}`
  if (type === 'restaurant') return `${random.pick(SHOP_NAMES)} ${random.pick(KITCHENS)}`
  if (type === 'food-court' || type === 'atrium') return typeName
  return label ?? null
}

function capacityOf(type: string, sqm: number): number {
  const each = SQM_PER_PERSON[type]
  return each === undefined ? 0 : Math.max(1, Math.round(sqm / each))
}
