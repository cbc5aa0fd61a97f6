import type { DataLayer, LayerValueRecord } from '@storey/sdk'
import { useMemo } from 'react'
import type { Colouring } from '../colouring/colouring.ts'
import { layerColouring } from '../colouring/layer-colouring.ts'
import { useValueFormat } from '../live/format-value.ts'

/** The colouring of a layer, as the plan shows it. `legend` replaces the legend of the layer. */
export function useLayerColouring(
  layer: DataLayer,
  values: ReadonlyMap<string, LayerValueRecord>,
  legend: DataLayer['legend'] = layer.legend,
): Colouring {
  const format = useValueFormat()
  return useMemo(
    () => layerColouring({ ...layer, legend }, values, (value, bounds) => format.number(value, '', bounds)),
    [layer, legend, values, format],
  )
}
