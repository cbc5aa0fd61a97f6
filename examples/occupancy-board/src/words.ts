import { usePlatform } from '@storey/sdk/module'
import type { Column } from './arrange.ts'
import type { State } from './occupancy.ts'

const en = {
  title: 'Occupancy board',
  loading: 'Loading rooms…',
  failed: 'The board could not be loaded',
  retry: 'Try again',
  noRooms: 'No room of this building has a capacity.',
  noSensors:
    'No room of this building has a people counter or an occupancy sensor. ' +
    'Counts come only from Wi-Fi sensing, so a room is unknown until its count changes.',
  noData:
    'The building has not sent any data yet, so the current occupancy is unknown. ' +
    'If its simulation is stopped, start it with POST …/simulation {"running": true}.',
  silent: (age: string) =>
    `The last data of the building arrived ${age}, so the current occupancy is unknown. If its simulation is stopped, start it with POST …/simulation {"running": true}.`,
  people: 'People',
  ofPlaces: (places: string) => `of ${places} places`,
  countedIn: (counted: string, rooms: string) => `counted in ${counted} of ${rooms} rooms`,
  states: { free: 'Free', filling: 'Filling', used: 'In use', full: 'Full', unknown: 'Unknown' } satisfies Record<
    State,
    string
  >,
  columns: {
    name: 'Room',
    storey: 'Storey',
    type: 'Type',
    state: 'State',
    people: 'People',
    age: 'Updated',
  } satisfies Record<Column, string>,
  byState: 'Rooms by state',
  freeByStorey: 'Free rooms by storey',
  freeByType: 'Free rooms by type',
  all: 'All',
  freeOf: (free: string, rooms: string) => `${free} of ${rooms} free`,
  search: 'Find a room',
  shown: (n: number) => (n === 1 ? '1 room' : `${n} rooms`),
  clear: 'Clear filters',
  none: 'No rooms match these filters.',
  more: (n: number) => `Show ${n} more`,
  of: (count: string, capacity: string) => `${count} of ${capacity}`,
  notCounted: (capacity: string) => `number unknown, ${capacity} places`,
  places: (capacity: string) => `${capacity} places`,
  never: 'never',
  lastKnown: 'last known',
}
type Words = typeof en

const ru: Words = {
  title: 'Табло занятости',
  loading: 'Загрузка помещений…',
  failed: 'Не удалось загрузить данные',
  retry: 'Повторить',
  noRooms: 'В этом здании нет помещений с указанной вместимостью.',
  noSensors:
    'В помещениях нет ни счётчиков людей, ни датчиков присутствия. ' +
    'Число людей определяется только по Wi-Fi, поэтому состояние помещения неизвестно, пока это число не изменится.',
  noData:
    'Здание ещё не присылало данных, поэтому текущая занятость неизвестна. ' +
    'Если моделирование остановлено, запустите его: POST …/simulation {"running": true}.',
  silent: (age) =>
    `Последние данные здания пришли ${age}, поэтому текущая занятость неизвестна. Если моделирование остановлено, запустите его: POST …/simulation {"running": true}.`,
  people: 'Людей',
  ofPlaces: (places) => `из ${places} мест`,
  countedIn: (counted, rooms) => `подсчитано в ${counted} из ${rooms} помещений`,
  states: { free: 'Свободно', filling: 'Заполняется', used: 'Занято', full: 'Заполнено', unknown: 'Неизвестно' },
  columns: { name: 'Помещение', storey: 'Этаж', type: 'Тип', state: 'Состояние', people: 'Людей', age: 'Обновлено' },
  byState: 'Помещения по состоянию',
  freeByStorey: 'Свободные помещения по этажам',
  freeByType: 'Свободные помещения по типам',
  all: 'Все',
  freeOf: (free, rooms) => `свободно ${free} из ${rooms}`,
  search: 'Найти помещение',
  shown: (n) => `${n} ${{ one: 'помещение', few: 'помещения' }[rules.select(n) as 'one' | 'few'] ?? 'помещений'}`,
  clear: 'Сбросить фильтры',
  none: 'Нет помещений, подходящих под фильтры.',
  more: (n) => `Показать ещё ${n}`,
  of: (count, capacity) => `${count} из ${capacity}`,
  notCounted: (capacity) => `число неизвестно, мест: ${capacity}`,
  places: (capacity) => `мест: ${capacity}`,
  never: 'нет',
  lastKnown: 'последнее известное',
}
const rules = new Intl.PluralRules('ru')

export interface Localization {
  words: Words
  locale: 'en' | 'ru'
  number(value: number): string
  percent(share: number): string
  /** How long ago, in the largest unit that fits. */
  ago(at: number, now: number): string
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

function localizationFor(locale: 'en' | 'ru'): Localization {
  const numbers = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  const times = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  return {
    words: locale === 'ru' ? ru : en,
    locale,
    number: (value) => numbers.format(value),
    percent: (share) => percents.format(share),
    ago(at, now) {
      const seconds = Math.max(0, Math.round((now - at) / 1000))
      const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? ['second', 1]
      return times.format(-Math.floor(seconds / size), unit)
    },
  }
}

const LOCALIZATIONS = { en: localizationFor('en'), ru: localizationFor('ru') }

export const useLocalization = (): Localization => LOCALIZATIONS[usePlatform().locale]
