import { spaceTypes } from '@storey/contract'
import type { Locale } from '@storey/web'

/** The kinds of use that a plan tells apart. */
export const FAMILIES = ['work', 'meeting', 'retail', 'food', 'common', 'ways', 'service', 'parking'] as const
export type Family = (typeof FAMILIES)[number]

const MEMBERS: Record<Exclude<Family, 'service'>, string> = {
  work: 'open-office private-office shared-office focus-room phone-booth management-office',
  meeting: 'meeting-room training-room auditorium library',
  retail: 'shop anchor-store kiosk supermarket cinema',
  food: 'kitchen cafeteria break-room restaurant food-court',
  common: 'reception lobby lounge atrium concourse gym prayer-room first-aid-room terrace',
  ways: 'corridor lift-lobby stair lift-shaft',
  parking: 'parking parking-aisle ramp bike-storage',
}
const FAMILY_OF = new Map<string, Family>(
  Object.entries(MEMBERS).flatMap(([family, slugs]) => slugs.split(' ').map((slug) => [slug, family as Family])),
)

/** What keeps the house going is the rest. */
export const familyOf = (slug: string): Family => FAMILY_OF.get(slug) ?? 'service'

const ENGLISH = new Map(spaceTypes.map(({ slug, name }) => [slug, name]))

export const spaceTypeName = (slug: string, locale: Locale): string =>
  (locale === 'ru' ? RUSSIAN[slug] : undefined) ?? ENGLISH.get(slug) ?? slug

const RUSSIAN: Record<string, string> = {
  'open-office': 'Открытый офис',
  'private-office': 'Кабинет',
  'shared-office': 'Общий кабинет',
  'meeting-room': 'Переговорная',
  'focus-room': 'Комната для работы',
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
  'cleaning-room': 'Комната уборки',
  storage: 'Кладовая',
  'loading-dock': 'Погрузка',
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
