import type { DataLayer } from '@storey/sdk'
import type { Signal } from './signals.ts'

export interface ShownChoice {
  /** What the plan is coloured by, which the picker shows too: `type`, `layer:<key>` or `live:<signal>`. */
  id: string
  layer: DataLayer | undefined
  signal: Signal | undefined
  /** What the address asks for, where that is not there. */
  missing: string | undefined
}

/** What is shown for what the address asks. `layers` is undefined as long as they are not known. */
export function shownChoice(
  asked: string | null,
  signals: readonly Signal[],
  layers: readonly DataLayer[] | undefined,
): ShownChoice {
  const layer = layers?.find(({ key }) => `layer:${key}` === asked)
  const signal = signals.find(({ id }) => `live:${id}` === asked)
  const mayCome = layers === undefined && asked?.startsWith('layer:') === true
  if (asked !== null && (asked === 'type' || layer || signal || mayCome)) {
    return { id: asked, layer, signal, missing: undefined }
  }
  const first = firstSignal(signals)
  return { id: first ? `live:${first.id}` : 'type', layer: undefined, signal: first, missing: asked ?? undefined }
}

/** A building that lives is shown by its temperature, or whatever it measures in most rooms. */
const firstSignal = (signals: readonly Signal[]): Signal | undefined =>
  signals.find(({ quantityKind }) => quantityKind === 'Temperature') ?? signals.find(({ isState }) => !isState)
