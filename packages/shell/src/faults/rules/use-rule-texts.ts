import type { FaultRuleRecord } from '@storey/sdk'
import { nodeName, useLocale, useTexts } from '@storey/web'
import { useMemo } from 'react'
import { shellTexts } from '../../app/texts.ts'
import { useBuildingData } from '../../building/building-data.tsx'
import { elementTypeName, quantityName, unitText } from '../../building/catalog-names.ts'
import { useValueFormat } from '../../live/format-value.ts'
import { POINT_TYPE_TEXTS } from '../../points/point-table.tsx'
import { durationText } from './duration.ts'
import { ruleTexts } from './texts.ts'

interface RuleTexts {
  /** When the rule creates a fault, such as "above 30 °C for 30 min". */
  conditionOf(rule: FaultRuleRecord): string
  /** Which points the rule watches, such as "Temperature · Sensor · VAV box". */
  scopeOf(rule: FaultRuleRecord): string
}

export function useRuleTexts(): RuleTexts {
  const t = useTexts(ruleTexts)
  const shell = useTexts(shellTexts)
  const locale = useLocale()
  const format = useValueFormat()
  const model = useBuildingData()
  return useMemo(() => {
    const bound = (value: number, unit: string | null) => {
      const symbol = unit === null ? '' : unitText(unit, locale)
      return symbol === '' ? format.bound(value) : `${format.bound(value)}\u00a0${symbol}`
    }
    const outside = ({ above, below, unit }: FaultRuleRecord) => {
      const sides = [
        ...(above === null ? [] : [t('above', { bound: bound(above, unit) })]),
        ...(below === null ? [] : [t('below', { bound: bound(below, unit) })]),
      ]
      return sides.length === 2 ? t('or', { a: sides[0]!, b: sides[1]! }) : (sides[0] ?? '')
    }
    return {
      conditionOf(rule) {
        const duration = durationText(rule.durationSeconds, locale)
        switch (rule.kind) {
          case 'threshold':
            return rule.durationSeconds === 0 ? outside(rule) : t('lasting', { what: outside(rule), duration })
          case 'stuck':
            return t('unchanged', { duration })
          case 'silent':
            return t('noData', { duration })
          case 'alarm':
            return t('alarmOn')
        }
      },
      scopeOf({ pointId, pointName, quantityKind, unit, pointType, elementTypeSlug }) {
        const parts = [
          ...(pointId === null ? [] : [model.point(pointId)?.name ?? pointId]),
          ...(pointName === null ? [] : [nodeName('point', pointName, locale)]),
          ...(quantityKind === null ? [] : [quantityName(quantityKind, locale)]),
          ...(quantityKind === null && unit !== null ? [unitText(unit, locale)] : []),
          ...(pointType === null ? [] : [shell(POINT_TYPE_TEXTS[pointType])]),
          ...(elementTypeSlug === null ? [] : [elementTypeName(elementTypeSlug, locale)]),
        ]
        return parts.join(' · ')
      },
    }
  }, [t, shell, locale, format, model])
}
