import { progressSteps } from '@storey/contract'
import { type Locale, useLocale } from '@storey/web'

const RUSSIAN = {
  waiting: 'Ожидание',
  creating: 'Создание базы данных',
  databaseInUse: 'Ожидание, пока другой сеанс отключится от базы данных',
  starting: 'Запуск',
  generating: 'Создание здания',
  indexing: 'Построение индексов',
  fingerprint: 'Вычисление отпечатка',
  ready: 'Готово',
  migrationWaits: 'Ожидает обновления базы данных',
} as const
const RUSSIAN_NOUNS: Readonly<Record<string, string>> = {
  storeys: 'этажи',
  rooms: 'помещения',
  equipment: 'оборудование',
  points: 'точки',
}

/** Translates a step of a sandbox's progress. An unknown step is returned unchanged. */
export function translateStep(step: string, locale: Locale): string {
  const read = locale === 'en' ? undefined : progressSteps.read(step)
  if (!read) return step
  const { form, parts } = read
  if (form === 'writing') return `Запись: ${RUSSIAN_NOUNS[parts.what]}, ${parts.n.replaceAll(',', '\u00a0')}`
  if (form === 'history') return `Запись истории за ${parts.day.split('-').reverse().join('.')}`
  if (form === 'migrating') return `Обновление базы данных: шаг ${parts.n} из ${parts.total}`
  return RUSSIAN[form]
}

export function useStepText(): (step: string) => string {
  const locale = useLocale()
  return (step) => translateStep(step, locale)
}
