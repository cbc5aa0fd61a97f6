import type { PointUpdated } from '@storey/contract'
import { emptyObservations, type Observations } from '../../telemetry/index.ts'
import { numberOf } from './values.ts'

/** What another process tells of its observations, as columns. A point that is not known here is passed over. */
export function columnsOf(told: PointUpdated['observations'], numbers: ReadonlyMap<string, number>): Observations {
  const columns = emptyObservations(told.length)
  for (const { pointId, value, timestamp } of told) {
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
