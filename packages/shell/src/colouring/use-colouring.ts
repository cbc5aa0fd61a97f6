import type { DataLayer } from '@storey/sdk'
import { type Loading, roomKindTexts, useLoad, useLocale, useRoute, useTexts, useTheme } from '@storey/web'
import { useMemo, useRef } from 'react'
import { useShell } from '../app/shell.ts'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { reuseEqualNodes } from '../building/reuse-nodes.ts'
import { useValueFormat } from '../live/format-value.ts'
import { useValueStore } from '../live/live.tsx'
import type { Colouring } from './colouring.ts'
import { layerColouring } from './layer-colouring.ts'
import { resolveChoice } from './resolve-choice.ts'
import { signalColouring } from './signal-colouring.ts'
import { type Signal, signalsOf } from './signals.ts'
import { typeColouring } from './type-colouring.ts'
import { useLayerValues } from './use-layer-values.ts'
import { useSignalTexts } from './use-signal-texts.ts'

/**
 * The poll interval while the live channel cannot report changes. It is short, because one small request returns all
 * layers.
 */
const LAYERS_POLL_MS = 5_000

export interface ColouringChoice {
  /** The colouring that is shown. */
  id: string
  /** Set if the requested colouring does not exist: its last known name, or its id without prefix and unit. */
  missing: string | undefined
  signals: readonly Signal[]
  layers: readonly DataLayer[]
  /** Undefined while a layer is loading. */
  colouring: Colouring | undefined
  error: unknown
}

/** The colouring that a parameter of the URL names. */
export function useColouring(parameter = 'colour'): ColouringChoice {
  const t = useTexts(shellTexts)
  const kind = useTexts(roomKindTexts)
  const locale = useLocale()
  const { theme } = useTheme()
  const format = useValueFormat()
  const textsOf = useSignalTexts()
  const model = useBuildingData()
  const values = useValueStore()
  const { query } = useRoute()
  const signals = useMemo(() => signalsOf(model), [model])
  const layers = useLayers()
  const { id, layer, signal, missing } = resolveChoice(query.get(parameter), signals, layers.data)
  const layerValues = useLayerValues(layer)
  const nameOf = useNames(layers.data)

  const colouring = useMemo(() => {
    if (layer)
      return (
        layerValues.data && layerColouring(layer, layerValues.data, (value, bounds) => format.number(value, '', bounds))
      )
    if (id.startsWith('layer:')) return undefined
    if (!signal) return typeColouring(t('colourType'), kind, locale, theme)
    return signalColouring(signal, values, textsOf(signal))
  }, [id, layer, layerValues.data, signal, values, t, kind, locale, theme, format, textsOf])

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

/**
 * Loads the layers, and reloads them when they change. An unchanged layer stays the same object, so the plan is not
 * coloured again.
 */
function useLayers(): Loading<readonly DataLayer[]> {
  const { api } = useShell()
  const known = useRef<readonly DataLayer[]>([])
  return useLoad(
    ['layers', api.buildingId],
    async (signal) => {
      const { data } = await api.layers.list({ limit: 200 }, { signal })
      known.current = reuseEqualNodes(known.current, data)
      return known.current
    },
    { pollMs: () => LAYERS_POLL_MS, changes: 'layers' },
  )
}

/** The last known name of a layer. For a signal or for an unknown layer: the id without prefix and unit. */
function useNames(layers: readonly DataLayer[] | undefined): (id: string) => string {
  const names = useRef(new Map<string, string>())
  for (const { key, name } of layers ?? []) names.current.set(`layer:${key}`, name)
  return (id) => names.current.get(id) ?? id.replace(/^(layer|live):/, '').replace(/~[^~]*$/, '')
}
