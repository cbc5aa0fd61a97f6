import type { FaultRuleRecord } from '@storey/sdk'
import { type Locale, useLocale } from '@storey/web'
import { useCallback } from 'react'

/** The Russian names of the default rules, by their English names. Every building has these rules from the start. */
const RUSSIAN: Readonly<Record<string, string>> = {
  'Smoke detected': 'Обнаружен дым',
  'Fire alarm': 'Пожарная тревога',
  'Water leak': 'Протечка воды',
  Alarm: 'Тревога',
  'Carbon monoxide': 'Угарный газ',
  'Stale air': 'Спёртый воздух',
  'Particles or vapours in the air': 'Частицы или пары в воздухе',
  'Room too warm or too cold': 'В помещении слишком тепло или холодно',
  'Supply air of a VAV box too warm or too cold': 'Приточный воздух регулятора расхода слишком тёплый или холодный',
  'Air too dry or too humid': 'Воздух слишком сухой или влажный',
  'Chilled water close to freezing': 'Холодная вода близка к замерзанию',
  'Boiler too hot': 'Котёл перегрет',
  'Emergency power loaded too high': 'Резервное питание перегружено',
  'Implausible temperature': 'Неправдоподобная температура',
  'Humidity sensor stuck': 'Показания датчика влажности не меняются',
  'CO₂ sensor stuck': 'Показания датчика CO₂ не меняются',
  'CO sensor stuck': 'Показания датчика CO не меняются',
  'Room temperature stuck': 'Температура в помещении не меняется',
  'Temperature stuck': 'Температура не меняется',
  'Sensor silent': 'Датчик не присылает данных',
}

/** The name of a rule. A default rule has a translation, unless somebody gave it another name. */
export const ruleName = ({ name, isDefault }: Pick<FaultRuleRecord, 'name' | 'isDefault'>, locale: Locale): string =>
  (isDefault && locale === 'ru' && Object.hasOwn(RUSSIAN, name) ? RUSSIAN[name] : undefined) ?? name

export function useRuleName(): (rule: FaultRuleRecord) => string {
  const locale = useLocale()
  return useCallback((rule) => ruleName(rule, locale), [locale])
}
