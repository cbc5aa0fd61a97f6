import type { PointUpdated } from '@storey/contract'
import { emptyObservations, type Observations } from '../../telemetry/index.ts'
import { numberOf } from './values.ts'

/**
 * The observations of an event of another process, as columns. Observations with an unknown point or an invalid time
 * are skipped.
 */
export function columnsOf(observed: PointUpdated['observations'], numbers: ReadonlyMap<string, number>): Observations {
  const columns = emptyObservations(observed.length)
  for (const { pointId, value, timestamp } of observed) {
    const point = numbers.get(pointId)
    const at = Date.parse(timestamp)
    if (point === undefined || Number.isNaN(at)) continue
    const i = columns.count++
    columns.points[i] = point
    columns.times[i] = at
    columns.values[i] = numberOf(value)
    if (Number.isNaN(columns.values[i])) columns.texts.set(i, value)
  }
  return columns
}
