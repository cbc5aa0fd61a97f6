import { spaceTypeName, useFormat, useLocale, useTexts } from '@storey/web'
import { elementTypeName, quantityName, unitText } from '../building/catalog-names.ts'
import { fieldName } from './revision-text.ts'
import { historyTexts } from './texts.ts'

const STATES = ['active', 'inactive', 'vacant', 'out_of_service'] as const

/** Labels of fields and texts of their values. `names` has the names of nodes by id. */
export function useFieldText(names: ReadonlyMap<string, string>) {
  const t = useTexts(historyTexts)
  const format = useFormat()
  const locale = useLocale()

  const fieldText = (field: string, value: unknown): string => {
    if (value === null || value === undefined || value === '') return t('noValue')
    if (typeof value === 'boolean') return value ? t('yes') : t('no')
    if (typeof value === 'number') return format.number(value, 2)
    if (field === 'polygon' && Array.isArray(value)) return t('corners', { n: value.length })
    if (field === 'serves' && Array.isArray(value) && value.length <= 3 && value.length > 0) {
      return format.list(value.map((id) => names.get(String(id)) ?? String(id)))
    }
    if (Array.isArray(value)) return t('entries', { n: value.length })
    const state = STATES.find((one) => field === 'status' && one === value)
    if (state) return t(state)
    if (field === 'spaceTypeSlug') return spaceTypeName(String(value), locale)
    if (field === 'elementTypeSlug') return elementTypeName(String(value), locale)
    if (field === 'quantityKind') return quantityName(String(value), locale)
    if (field === 'unit') return unitText(String(value), locale)
    if (typeof value === 'object') return JSON.stringify(value)
    return names.get(String(value)) ?? String(value)
  }
  return { fieldName: (field: string) => fieldName(t, field), fieldText }
}
