import { STEP_MS } from './clock.ts'
import { chanceAt } from './noise.ts'
import type { PlannedPoint, TelemetryModel } from './plan.ts'
import type { Sampling } from './series.ts'

/** A step has this many parts. Each point sends its regular samples at the start of one part. */
const PARTS = 30

/**
 * How long after the start of a step each point sends its regular sample, in milliseconds and always within the step.
 * So the values of a running simulation are spread over the step and do not arrive all together. The delay is 0 for the
 * points of meters and the trip counters of lifts, which are read together. It is also 0 for points without regular
 * samples, which send each change when it happens.
 */
export function sampleDelays({ building, zones, handlers, machines }: TelemetryModel): Uint32Array {
  const delays = new Uint32Array(building.points.length)
  const groups: PlannedPoint<Sampling>[][] = [
    ...zones.flatMap(({ box, rooms }) => [box, ...rooms.map(({ points }) => points)]),
    ...[...handlers, ...machines].map(({ points }) => points),
  ]
  for (const { pointIndex, seed, signal } of groups.flat()) {
    if (signal.everySteps > 0) delays[pointIndex] = Math.floor(chanceAt(seed, 1) * PARTS) * (STEP_MS / PARTS)
  }
  return delays
}
