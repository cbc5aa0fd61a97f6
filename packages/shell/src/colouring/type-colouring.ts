import {
  kindOfRoom,
  type Locale,
  ROOM_KINDS,
  roomKindColour,
  type roomKindTexts,
  spaceTypeName,
  type Translate,
} from '@storey/web'
import { type Colouring, countShades } from './colouring.ts'

/** Colours the rooms by their use. */
export function typeColouring(
  title: string,
  t: Translate<typeof roomKindTexts.en>,
  locale: Locale,
  theme: 'light' | 'dark' = 'light',
): Colouring {
  const shades = new Map(
    ROOM_KINDS.map((kind) => [kind, { key: kind, label: t(kind), color: roomKindColour(kind, theme) }] as const),
  )
  const shadeOf: Colouring['shadeOf'] = ({ spaceTypeSlug }) => shades.get(kindOfRoom(spaceTypeSlug))
  return {
    id: 'type',
    title,
    shadeOf,
    textOf: ({ spaceTypeSlug }) => spaceTypeName(spaceTypeSlug, locale),
    legend: (spaces) => countShades([...shades.values()], spaces, shadeOf).filter(({ count }) => count > 0),
  }
}
