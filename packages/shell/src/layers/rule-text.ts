import type { DataLayer } from '@storey/sdk'
import type { Format, Translate } from '@storey/web'
import { unitOf } from './layer-draft.ts'
import type { layerTexts } from './texts.ts'
import { ruleOf } from './value-rule.ts'

type T = Translate<typeof layerTexts.en>

/** Describes in words which values a layer allows. */
export function ruleText(
  layer: Pick<DataLayer, 'valueType' | 'valueSchema' | 'metadata'>,
  t: T,
  format: Format,
): string {
  const rule = ruleOf(layer.valueType, layer.valueSchema)
  switch (rule.kind) {
    case 'any':
      return t('ruleAny')
    case 'text':
      return t('ruleText', { n: rule.maxLength })
    case 'choices':
      return format.list(rule.values)
    case 'schema':
      return t('ruleSchema')
    case 'number': {
      const unit = unitOf(layer)
      const number = (value: number) => format.number(value, 12) + (unit === '' ? '' : ` ${unit}`)
      const bounds = boundsText(rule, t, number)
      if (!rule.isWhole) return bounds ?? t('ruleAny')
      return bounds === undefined ? t('ruleWholeOnly') : t('ruleWhole', { rule: bounds })
    }
  }
}

function boundsText(
  { min, max }: { min?: number; max?: number },
  t: T,
  number: (value: number) => string,
): string | undefined {
  if (min !== undefined && max !== undefined) return t('ruleBetween', { min: number(min), max: number(max) })
  if (min !== undefined) return t('ruleFrom', { min: number(min) })
  return max === undefined ? undefined : t('ruleTo', { max: number(max) })
}
