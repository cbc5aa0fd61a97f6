import { useFormat, useLocale, useRoute, useTexts, useTheme } from '@storey/web'
import { useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { unitText } from '../building/catalog-names.ts'
import { type ColouringChoice, useColouring } from '../colouring/use-colouring.ts'
import { squareMetres } from '../live/format-value.ts'
import { ENERGY_CHOICE, energyColouring } from './energy-colouring.ts'
import { overviewTexts } from './texts.ts'
import { useStoreyEnergy } from './use-energy.ts'

export interface Heatmap extends ColouringChoice {
  /** The choices that only the overview has. */
  further: readonly { value: string; label: string }[]
  /** The colouring with which the plan of a storey is opened. */
  planChoice: string | undefined
  /** The unit that determines how many decimals the numbers have, as in the field `unit` of a point. */
  unit: string | undefined
}

/** The choices for the colours of the heatmap: every choice that the plan has, and the energy of each storey. */
export function useHeatmap(): Heatmap {
  const t = useTexts(overviewTexts)
  const locale = useLocale()
  const format = useFormat()
  const { theme } = useTheme()
  const { spacesOf } = useBuildingData()
  const { query } = useRoute()
  const choice = useColouring('heat')
  const isEnergy = query.get('heat') === ENERGY_CHOICE
  const { data: kwhByStorey, error } = useStoreyEnergy(isEnergy)
  const unit = `${unitText('W-HR', locale)}/${squareMetres(locale)}`
  const energy = useMemo(
    () =>
      kwhByStorey &&
      energyColouring(kwhByStorey, spacesOf, {
        title: t('energyToday'),
        unit,
        number: (value) => format.number(value),
        theme,
      }),
    [kwhByStorey, spacesOf, t, unit, format, theme],
  )
  const further = [{ value: ENERGY_CHOICE, label: `${t('energyToday')}, ${unit}` }]
  if (isEnergy) {
    return {
      ...choice,
      ...{ id: ENERGY_CHOICE, missing: undefined, colouring: energy, error, further },
      ...{ planChoice: undefined, unit: 'W-HR' },
    }
  }
  const signal = choice.signals.find(({ id }) => `live:${id}` === choice.id)
  return { ...choice, further, planChoice: choice.id, unit: signal?.unit }
}
