/** Russian names of the space types in which people stay, because the platform's catalog is in English. */
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
  'security-room': 'Охрана',
  'loading-dock': 'Погрузка',
}

export const typeNameIn =
  (locale: 'en' | 'ru', english: ReadonlyMap<string, string>) =>
  (slug: string): string =>
    (locale === 'ru' ? RUSSIAN[slug] : undefined) ?? english.get(slug) ?? slug
