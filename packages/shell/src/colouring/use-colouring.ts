import type { DataLayer } from '@storey/sdk'
import { type Loading, useLoad, useLocale, useRoute, useTheme, useWords } from '@storey/web'
import { useMemo, useRef } from 'react'
import { useShell } from '../app/shell.ts'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { sameNodes } from '../building/same-nodes.ts'
import { unitSymbol, useValueFormat } from '../live/format-value.ts'
import { useValueStore } from '../live/live.tsx'
import { useReloadOn } from '../live/use-reload-on.ts'
import type { Colouring } from './colouring.ts'
import { layerColouring } from './layer-colouring.ts'
import { readLayerValues } from './read-layer-values.ts'
import { shownChoice } from './shown-choice.ts'
import { signalColouring } from './signal-colouring.ts'
import { type Signal, signalsOf } from './signals.ts'
import { familyWords, typeColouring } from './type-colouring.ts'

/** Nothing tells of a change of a layer. One small request says of all of them which did. */
const LAYERS_AGAIN_MS = 5_000

export interface ColouringChoice {
  /** What is shown: what the address asks for, or what is shown without it. */
  id: string
  /** What the address asks for and is not there: by its name, if it was there before. */
  missing: string | undefined
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
  const { query } = useRoute()
  const signals = useMemo(() => signalsOf(model), [model])
  const layers = useLayers()
  const { id, layer, signal, missing } = shownChoice(query.get('colour'), signals, layers.data)
  const layerValues = useLayerValues(layer)
  const nameOf = useNames(layers.data)

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

  return {
    id,
    missing: missing && nameOf(missing),
    signals,
    layers: layers.data ?? NONE,
    colouring,
    error: layers.error ?? layerValues.error,
  }
}

const NONE: readonly DataLayer[] = []

/** The layers as they are now. One that did not change stays the same object, so that nothing is drawn anew for it. */
function useLayers(): Loading<readonly DataLayer[]> {
  const { api } = useShell()
  const known = useRef<readonly DataLayer[]>([])
  return useLoad(
    ['layers', api.buildingId],
    async (signal) => {
      const { data } = await api.layers.list({ limit: 200 }, { signal })
      known.current = sameNodes(known.current, data)
      return known.current
    },
    { again: () => LAYERS_AGAIN_MS },
  )
}

/** The values of a layer, read again when they were uploaded again. */
function useLayerValues(layer: DataLayer | undefined): Loading<Awaited<ReturnType<typeof readLayerValues>>> {
  const { api } = useShell()
  const values = useLoad(['layer-values', layer?.id ?? null], async (signal) =>
    layer ? readLayerValues(api, layer.id, signal) : new Map(),
  )
  useReloadOn(layer?.id, layer?.valuesUpdatedAt ?? undefined, values.reload)
  return values
}

/** How a choice was called while it was there; else as the address says it. */
function useNames(layers: readonly DataLayer[] | undefined): (id: string) => string {
  const names = useRef(new Map<string, string>())
  for (const { key, name } of layers ?? []) names.current.set(`layer:${key}`, name)
  return (id) => names.current.get(id) ?? id.replace(/^(layer|live):/, '').replace(/~[^~]*$/, '')
}
