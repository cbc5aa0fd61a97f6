import { LIMITS, type PointUpdated } from '@storey/contract'
import { type Observations, sourceOf, valueText } from './observations.ts'
import type { KnownPoints } from './point-cache.ts'

export const POINT_UPDATED = 'building.point.updated'

/** The fields of the events for these observations. */
export function* pointUpdates(
  buildingId: string,
  observations: Observations,
  ids: KnownPoints['ids'],
): Generator<PointUpdated, void, undefined> {
  for (let from = 0; from < observations.count; from += LIMITS.observation.perEvent) {
    const to = Math.min(observations.count, from + LIMITS.observation.perEvent)
    yield {
      buildingId,
      observations: Array.from({ length: to - from }, (_, i) => recordOf(observations, ids, from + i)),
    }
  }
}

function recordOf(observations: Observations, ids: KnownPoints['ids'], i: number) {
  const { id, elementId } = ids.get(observations.points[i]!)!
  const timestamp = new Date(observations.times[i]!).toISOString()
  return { pointId: id, elementId, value: valueText(observations, i), timestamp, source: sourceOf(observations, i) }
}
