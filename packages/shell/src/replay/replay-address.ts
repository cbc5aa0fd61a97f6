import type { FaultRecord } from '@storey/sdk'
import type { BuildingModel } from '../building/model.ts'
import { findSignal, type Signal } from '../colouring/signals.ts'

/**
 * The address of the plan at the time of a fault. If the fault has a point, and the point has a signal, the plan is
 * coloured by this signal. Undefined if the fault is on no storey, for example because its equipment was removed.
 */
export function replayAddress(
  model: BuildingModel,
  signals: readonly Signal[],
  { pointId, elementId, detectedAt }: Pick<FaultRecord, 'pointId' | 'elementId' | 'detectedAt'>,
): string | undefined {
  const nodeId = pointId ?? elementId ?? ''
  const storey = model.storeyOf(nodeId)
  if (!storey) return undefined
  const space = model.spaceOf(nodeId)
  const point = pointId === null ? undefined : model.point(pointId)
  const signal = point && findSignal(signals, point)
  const query = new URLSearchParams({ storey: storey.code })
  if (space) query.set('room', space.id)
  if (signal) query.set('colour', `live:${signal.id}`)
  query.set('replay', 'day')
  query.set('at', detectedAt)
  return `/plan?${query}`
}
