import type { DataLayer } from '@storey/sdk'
import { type Loading, useLoad, useLocale, useRoute, useTheme, useWords } from '@storey/web'
import { useMemo } from 'react'
import { useShell } from '../app/shell.ts'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { unitSymbol, useValueFormat } from '../live/format-value.ts'
import { useValueStore } from '../live/live.tsx'
import type { Colouring } from './colouring.ts'
import { layerColouring } from './layer-colouring.ts'
import { readAgainMs, readLayerValues } from './read-layer-values.ts'
import { signalColouring } from './signal-colouring.ts'
import { type Signal, signalsOf } from './signals.ts'
import { familyWords, typeColouring } from './type-colouring.ts'

const LAYERS_AGAIN_MS = 30_000

export interface ColouringChoice {
  /** Of the address, or what is shown when it has none. */
  id: string
  signals: readonly Signal[]
  layers: readonly DataLayer[]
  /** Undefined while a layer is on its way. */
  colouring: Colouring | undefined
  error: unknown
}

/** What the plan is coloured by, as the address says. */
export function useColouring(): ColouringChoice {
  const t = useWords(shellWords)
  const family = useWords(familyWords)
  const locale = useLocale()
  const { theme } = useTheme()
  const format = useValueFormat()
  const model = useBuildingData()
  const values = useValueStore()
  const { api } = useShell()
  const { query } = useRoute()
  const signals = useMemo(() => signalsOf(model), [model])
  const layers = useLoad(async (signal) => (await api.layers.list({ limit: 200 }, { signal })).data, [api.buildingId], {
    again: () => LAYERS_AGAIN_MS,
  })
  const id = query.get('colour') ?? firstChoice(signals)
  const layer = id.startsWith('layer:') ? layers.data?.find(({ key }) => `layer:${key}` === id) : undefined
  const layerValues = useLayerValues(layer)
  const signal = signals.find((one) => `live:${one.id}` === id)

  const colouring = useMemo(() => {
    if (layer) return layerValues.data && layerColouring(layer, layerValues.data, format.number)
    if (id.startsWith('layer:')) return undefined
    if (!signal) return typeColouring(t('colourType'), family, locale, theme)
    return signalColouring(signal, values, {
      title: signal.name,
      unit: unitSymbol(signal.unit),
      yes: t('yes'),
      no: t('no'),
      number: format.number,
    })
  }, [id, layer, layerValues.data, signal, values, t, family, locale, theme, format])

  const isGone = id.startsWith('layer:') && layers.data !== undefined && !layer
  const error = layers.error ?? layerValues.error ?? (isGone ? new Error(t('layerGone')) : undefined)
  return { id, signals, layers: layers.data ?? [], colouring, error }
}

function useLayerValues(layer: DataLayer | undefined): Loading<Awaited<ReturnType<typeof readLayerValues>>> {
  const { api } = useShell()
  return useLoad(async (signal) => (layer ? readLayerValues(api, layer.id, signal) : new Map()), [layer?.id ?? null], {
    again: (values) => (layer ? readAgainMs(values) : undefined),
  })
}

/** A building that lives is shown by its temperature, or whatever it measures in most rooms. */
function firstChoice(signals: readonly Signal[]): string {
  const first = signals.find(({ quantityKind }) => quantityKind === 'Temperature') ?? signals.find((s) => !s.isState)
  return first ? `live:${first.id}` : 'type'
}
