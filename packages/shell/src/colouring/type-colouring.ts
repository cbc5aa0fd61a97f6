import {
  defineTexts,
  kindOfRoom,
  type Locale,
  ROOM_KINDS,
  type RoomKind,
  spaceTypeName,
  type Translate,
} from '@storey/web'
import { type Colouring, countShades } from './colouring.ts'

export const roomKindTexts = defineTexts(
  {
    work: 'Work',
    meeting: 'Meeting',
    retail: 'Shops',
    food: 'Dining and breaks',
    common: 'Common areas',
    circulation: 'Circulation',
    service: 'Service',
    parking: 'Parking',
  },
  {
    work: 'Работа',
    meeting: 'Переговоры',
    retail: 'Магазины',
    food: 'Питание и отдых',
    common: 'Общие зоны',
    circulation: 'Коридоры и лестницы',
    service: 'Технические',
    parking: 'Парковка',
  },
)

/** Pale colours, so that the labels are easy to read. */
const LIGHT_COLOURS: Record<RoomKind, string> = {
  work: '#cfe3f1',
  meeting: '#d8d3ec',
  retail: '#f3dfc1',
  food: '#f4d4cb',
  common: '#d9ead0',
  circulation: '#f1f1ea',
  service: '#d5d9dc',
  parking: '#e6ddd2',
}
const DARK_COLOURS: Record<RoomKind, string> = {
  work: '#24465c',
  meeting: '#3d3762',
  retail: '#5c4520',
  food: '#623a2e',
  common: '#33522a',
  circulation: '#33383b',
  service: '#4a5257',
  parking: '#4d4335',
}

/** Colours the rooms by their use. */
export function typeColouring(
  title: string,
  t: Translate<typeof roomKindTexts.en>,
  locale: Locale,
  theme: 'light' | 'dark' = 'light',
): Colouring {
  const colors = theme === 'dark' ? DARK_COLOURS : LIGHT_COLOURS
  const shades = new Map(ROOM_KINDS.map((kind) => [kind, { key: kind, label: t(kind), color: colors[kind] }] as const))
  const shadeOf: Colouring['shadeOf'] = ({ spaceTypeSlug }) => shades.get(kindOfRoom(spaceTypeSlug))
  return {
    id: 'type',
    title,
    shadeOf,
    textOf: ({ spaceTypeSlug }) => spaceTypeName(spaceTypeSlug, locale),
    legend: (spaces) => countShades([...shades.values()], spaces, shadeOf).filter(({ count }) => count > 0),
  }
}
