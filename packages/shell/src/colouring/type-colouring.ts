import { defineWords, type Locale, type Translate } from '@storey/web'
import { FAMILIES, type Family, familyOf, spaceTypeName } from '../building/space-types.ts'
import { type Colouring, counted } from './colouring.ts'

export const familyWords = defineWords(
  {
    work: 'Work',
    meeting: 'Meetings',
    retail: 'Shops',
    food: 'Food and breaks',
    common: 'Common areas',
    ways: 'Ways and stairs',
    service: 'Service and plant',
    parking: 'Parking',
  },
  {
    work: 'Работа',
    meeting: 'Встречи',
    retail: 'Торговля',
    food: 'Еда и отдых',
    common: 'Общие зоны',
    ways: 'Проходы и лестницы',
    service: 'Обслуживание и техника',
    parking: 'Парковка',
  },
)

/** Quiet, so that the words in the rooms come first. */
const PALE: Record<Family, string> = {
  work: '#cfe3f1',
  meeting: '#d8d3ec',
  retail: '#f3dfc1',
  food: '#f4d4cb',
  common: '#d9ead0',
  ways: '#f1f1ea',
  service: '#d5d9dc',
  parking: '#e6ddd2',
}
const DEEP: Record<Family, string> = {
  work: '#24465c',
  meeting: '#3d3762',
  retail: '#5c4520',
  food: '#623a2e',
  common: '#33522a',
  ways: '#33383b',
  service: '#4a5257',
  parking: '#4d4335',
}

/** Rooms by what they are for. */
export function typeColouring(
  title: string,
  word: Translate<typeof familyWords.en>,
  locale: Locale,
  theme: 'light' | 'dark' = 'light',
): Colouring {
  const colors = theme === 'dark' ? DEEP : PALE
  const shades = new Map(
    FAMILIES.map((family) => [family, { key: family, label: word(family), color: colors[family] }] as const),
  )
  const shadeOf: Colouring['shadeOf'] = ({ spaceTypeSlug }) => shades.get(familyOf(spaceTypeSlug))
  return {
    id: 'type',
    title,
    shadeOf,
    textOf: ({ spaceTypeSlug }) => spaceTypeName(spaceTypeSlug, locale),
    legend: (spaces) => counted([...shades.values()], spaces, shadeOf).filter(({ count }) => count > 0),
  }
}
