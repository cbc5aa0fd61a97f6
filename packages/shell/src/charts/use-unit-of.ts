import type { PointNode } from '@storey/sdk'
import { useLocale, useTexts } from '@storey/web'
import { useCallback } from 'react'
import { unitSymbol } from '../live/format-value.ts'
import type { Detail } from './detail.ts'
import { perText } from './duration-text.ts'
import { chartTexts } from './texts.ts'

/** The unit of a point's values; per interval for the consumption of a meter. */
export function useUnitOf(): (point: Pick<PointNode, 'unit'>, detail: Detail) => string {
  const t = useTexts(chartTexts)
  const locale = useLocale()
  return useCallback(
    ({ unit }, detail) => {
      const symbol = unitSymbol(unit, locale)
      if (detail.kind === 'raw' || detail.aggregation !== 'delta') return symbol
      return t('perInterval', { unit: symbol, interval: perText(detail.stepMs, locale) })
    },
    [t, locale],
  )
}
