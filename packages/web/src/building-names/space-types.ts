import { spaceTypes } from '@storey/contract'
import type { Locale } from '../i18n/locale.ts'

/** Groups of space types. The plan has one colour per group. */
export const ROOM_KINDS = ['work', 'meeting', 'retail', 'food', 'common', 'circulation', 'service', 'parking'] as const
export type RoomKind = (typeof ROOM_KINDS)[number]

const SPACE_TYPES: Record<Exclude<RoomKind, 'service'>, string> = {
  work: 'open-office private-office shared-office focus-room phone-booth management-office',
  meeting: 'meeting-room training-room auditorium library',
  retail: 'shop anchor-store kiosk supermarket cinema',
  food: 'kitchen cafeteria break-room restaurant food-court',
  common: 'reception lobby lounge atrium concourse gym prayer-room first-aid-room terrace',
  circulation: 'corridor lift-lobby stair lift-shaft',
  parking: 'parking parking-aisle ramp bike-storage',
}
const KIND_OF = new Map<string, RoomKind>(
  Object.entries(SPACE_TYPES).flatMap(([kind, slugs]) => slugs.split(' ').map((slug) => [slug, kind as RoomKind])),
)

/** A type that is in no group counts as service. */
export const kindOfRoom = (slug: string): RoomKind => KIND_OF.get(slug) ?? 'service'

const ENGLISH = new Map(spaceTypes.map(({ slug, name }) => [slug, name]))

export const spaceTypeName = (slug: string, locale: Locale): string =>
  (locale === 'ru' ? RUSSIAN[slug] : undefined) ?? ENGLISH.get(slug) ?? slug

const RUSSIAN: Record<string, string> = {
  'open-office': 'Открытый офис',
  'private-office': 'Кабинет',
  'shared-office': 'Общий кабинет',
  'meeting-room': 'Переговорная',
  'focus-room': 'Комната для индивидуальной работы',
  'phone-booth': 'Телефонная кабина',
  'training-room': 'Учебный класс',
  auditorium: 'Зал',
  reception: 'Ресепшен',
  lobby: 'Вестибюль',
  lounge: 'Комната отдыха',
  'break-room': 'Комната для перерывов',
  kitchen: 'Кухня',
  cafeteria: 'Столовая',
  'copy-room': 'Копировальная',
  library: 'Библиотека',
  'server-room': 'Серверная',
  'first-aid-room': 'Медпункт',
  'prayer-room': 'Молитвенная комната',
  gym: 'Спортзал',
  shop: 'Магазин',
  'anchor-store': 'Якорный магазин',
  kiosk: 'Киоск',
  restaurant: 'Ресторан',
  'food-court': 'Фуд-корт',
  cinema: 'Кинотеатр',
  supermarket: 'Супермаркет',
  concourse: 'Галерея',
  atrium: 'Атриум',
  'management-office': 'Администрация',
  corridor: 'Коридор',
  'lift-lobby': 'Лифтовый холл',
  stair: 'Лестница',
  'lift-shaft': 'Лифтовая шахта',
  shaft: 'Шахта',
  toilet: 'Туалет',
  'changing-room': 'Раздевалка',
  'cleaning-room': 'Комната уборочного инвентаря',
  storage: 'Кладовая',
  'loading-dock': 'Зона погрузки',
  'waste-room': 'Мусорная камера',
  'security-room': 'Охрана',
  'plant-room': 'Техническое помещение',
  'electrical-room': 'Электрощитовая',
  'telecom-room': 'Кроссовая',
  parking: 'Парковка',
  'parking-aisle': 'Проезд парковки',
  ramp: 'Рампа',
  'bike-storage': 'Велопарковка',
  terrace: 'Терраса',
  other: 'Другое',
}
