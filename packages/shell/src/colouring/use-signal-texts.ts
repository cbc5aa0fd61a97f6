import { useLocale, useTexts, useTheme } from '@storey/web'
import { useCallback, useMemo } from 'react'
import { shellTexts } from '../app/texts.ts'
import { unitSymbol, useValueFormat } from '../live/format-value.ts'
import { useRuleBounds } from '../live/rule-bounds.tsx'
import type { SignalTexts } from './signal-colouring.ts'
import type { Signal } from './signals.ts'

/** The texts of a signal's values. A number gets more decimals if rounding would move it to or past a rule's bound. */
export function useSignalTexts(): (signal: Signal) => SignalTexts {
  const t = useTexts(shellTexts)
  const format = useValueFormat()
  const boundsOf = useRuleBounds()
  const { theme } = useTheme()
  const locale = useLocale()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the cache is replaced when the fault rules change
  const known = useMemo(() => new WeakMap<Signal, readonly number[]>(), [boundsOf])
  return useCallback(
    (signal) => {
      const { name, unit } = signal
      const bounds = known.get(signal) ?? [...new Set([...signal.pointsBySpace.values()].flat().flatMap(boundsOf))]
      known.set(signal, bounds)
      return {
        title: name,
        unit: unitSymbol(unit, locale),
        yes: t('yes'),
        no: t('no'),
        number: (value) => format.number(value, unit, bounds),
        round: (value) => format.rounded(value, unit, bounds),
        bound: format.bound,
        theme,
      }
    },
    [t, format, boundsOf, known, theme, locale],
  )
}
