import { defineTexts } from '../i18n/texts.ts'
import type { RoomKind } from './space-types.ts'

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

export const roomKindColour = (kind: RoomKind, theme: 'light' | 'dark'): string =>
  (theme === 'dark' ? DARK_COLOURS : LIGHT_COLOURS)[kind]
