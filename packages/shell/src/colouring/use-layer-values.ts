import type { DataLayer, LayerValueRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useShell } from '../app/shell.ts'
import { useReloadOn } from '../live/use-reload-on.ts'
import { readLayerValues } from './read-layer-values.ts'

/** The pause before a failed read is repeated. It grows with each further failure. */
const RETRY_MS = 2_000

/** The values of a layer, by room. Without a layer there are none. */
export type LayerValues = Pick<Loading<ReadonlyMap<string, LayerValueRecord>>, 'data' | 'error' | 'reload'>

/**
 * Loads the values of a layer, and loads them again when `valuesUpdatedAt` changes, for example by an upload, until
 * that succeeds. While there is an error, the data may be outdated.
 */
export function useLayerValues(layer: DataLayer | undefined): LayerValues {
  const { api } = useShell()
  const version = layer?.valuesUpdatedAt ?? undefined
  const { data, error, reload } = useLoad(
    ['layer-values', layer?.id ?? null],
    async (signal) => ({
      version,
      values: layer ? await readLayerValues(api, layer.id, signal) : new Map<string, LayerValueRecord>(),
    }),
    { pollMs: (known) => (known.version === version ? undefined : RETRY_MS) },
  )
  useReloadOn(layer?.id, version, reload)
  return { data: data?.values, error, reload }
}
