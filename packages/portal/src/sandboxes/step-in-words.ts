import { progressSteps } from '@storey/contract'
import { type Locale, useLocale } from '@storey/web'

const RUSSIAN = {
  waiting: 'Ожидание',
  starting: 'Начинаем строить',
  drawing: 'Чертим здание',
  indexing: 'Строим указатели',
  fingerprint: 'Снимаем отпечаток',
  ready: 'Готово',
  migrationWaits: 'Ожидает обновления базы данных',
} as const
const WRITTEN: Readonly<Record<string, string>> = {
  storeys: 'этажи',
  rooms: 'помещения',
  'pieces of equipment': 'оборудование',
  points: 'точки',
}

/** How far the making is, in the reader's language; what is none of the platform's own sentences stays as it is. */
export function stepInWords(step: string, locale: Locale): string {
  const read = locale === 'en' ? undefined : progressSteps.read(step)
  if (!read) return step
  const { form, parts } = read
  if (form === 'writing') return `Записываем: ${WRITTEN[parts.what]}, ${parts.n.replaceAll(',', '\u00a0')}`
  if (form === 'history') return `Записываем историю за ${parts.day.split('-').reverse().join('.')}`
  if (form === 'migrating') return `Обновляем базу данных: шаг ${parts.n} из ${parts.total}`
  return RUSSIAN[form]
}

export function useStepInWords(): (step: string) => string {
  const locale = useLocale()
  return (step) => stepInWords(step, locale)
}
