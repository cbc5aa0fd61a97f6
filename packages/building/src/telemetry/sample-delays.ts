import { STEP_MS } from './clock.ts'
import { chanceAt } from './noise.ts'
import type { PlannedPoint, TelemetryModel } from './plan.ts'
import type { Sampling } from './series.ts'

/** Sensors send in one of these parts of a step. */
const PARTS = 30

/**
 * How long after its step each point sends a regular sample, in milliseconds and always within the step. In a
 * simulation, values then arrive every few seconds. Meters are read all at once, and changes have times of their own.
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
