import type { DataLayer } from '@storey/sdk'
import type { Signal } from './signals.ts'

export interface ResolvedChoice {
  /** `type`, `layer:<key>` or `live:<signal>`. */
  id: string
  layer: DataLayer | undefined
  signal: Signal | undefined
  /** The requested colouring, if it does not exist. */
  missing: string | undefined
}

/** Resolves the colouring that the URL requests. `layers` is undefined while they are loading. */
export function resolveChoice(
  requested: string | null,
  signals: readonly Signal[],
  layers: readonly DataLayer[] | undefined,
): ResolvedChoice {
  const layer = layers?.find(({ key }) => `layer:${key}` === requested)
  const signal = signals.find(({ id }) => `live:${id}` === requested)
  const isLoadingLayer = layers === undefined && requested?.startsWith('layer:') === true
  if (requested !== null && (requested === 'type' || layer || signal || isLoadingLayer)) {
    return { id: requested, layer, signal, missing: undefined }
  }
  const first = defaultSignal(signals)
  return { id: first ? `live:${first.id}` : 'type', layer: undefined, signal: first, missing: requested ?? undefined }
}

/** The temperature, or else the numeric signal that is measured in the most rooms. */
const defaultSignal = (signals: readonly Signal[]): Signal | undefined =>
  signals.find(({ quantityKind }) => quantityKind === 'Temperature') ?? signals.find(({ isState }) => !isState)
