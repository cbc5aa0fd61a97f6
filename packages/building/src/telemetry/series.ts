import { STEP_MS, STEPS } from './clock.ts'
import { seedAt } from './noise.ts'

/**
 * The samples of a point within a UTC day. The arrays are views of buffers that the next series overwrites: copy or
 * write the samples before reading the next series.
 */
export interface PointSeries {
  /** Index into `building.points`. */
  pointIndex: number
  /** Milliseconds since the start of the day, ascending. */
  offsetsMs: Uint32Array
  values: Float64Array
  /** Replaces `values` for points whose values are texts. */
  texts?: string[]
}

/** How the values of a signal become samples. */
export interface Sampling {
  /** Steps between samples. 0: there is a sample at each change, and one at the start of the day. */
  everySteps: number
  /**
   * How much noise the sensor has, in the signal's unit. The maximum of the noise is 1.6 times this value, and its
   * standard deviation is 0.65 times this value.
   */
  noise: number
  /** The sensor's resolution as steps per unit: 10 for tenths. */
  perUnit: number
  /** The smallest value that the sensor measures. */
  min?: number
  /** Texts for the values 0, 1, 2… of a state. */
  words?: readonly string[]
}

/** Adds a sensor's noise and rounds to its resolution, in place. Noise depends only on the sensor and the day. */
export function simulateSensor(
  values: Float64Array,
  count: number,
  { noise, perUnit, min = Number.NEGATIVE_INFINITY }: Sampling,
  seed: number,
  epochDay: number,
): void {
  let state = seedAt(seed, epochDay) | 1
  for (let i = 0; i < count; i++) {
    let value = values[i]!
    if (noise > 0) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      // The sum of two uniform 16-bit numbers: a triangular distribution, close enough to a normal one.
      value += noise * (((state & 0xffff) + (state >>> 16)) / 65536 - 1) * 1.6
    }
    values[i] = Math.round(Math.max(value, min) * perUnit) / perUnit
  }
}

const everyOffsets = new Map<number, Uint32Array>()

/** Offsets of regular samples over a whole day, shared by all series. */
export function regularOffsets(everySteps: number): Uint32Array {
  let offsets = everyOffsets.get(everySteps)
  if (!offsets) {
    offsets = Uint32Array.from({ length: STEPS / everySteps }, (_, i) => i * everySteps * STEP_MS)
    everyOffsets.set(everySteps, offsets)
  }
  return offsets
}

/** Samples at irregular times within a day. */
export interface EventBuffer {
  offsetsMs: Uint32Array
  values: Float64Array
  count: number
}

export const createEvents = (): EventBuffer => ({
  offsetsMs: new Uint32Array(STEPS * 4),
  values: new Float64Array(STEPS * 4),
  count: 0,
})

export function addEvent(events: EventBuffer, offsetMs: number, value: number): void {
  events.offsetsMs[events.count] = offsetMs
  events.values[events.count] = value
  events.count++
}

/** One sample at each change, at a random second of its step, and always one at the start of the day. */
export function changesOf(values: Float64Array, events: EventBuffer, seed: number): void {
  events.count = 0
  let before = Number.NaN
  for (let i = 0; i < STEPS; i++) {
    const value = values[i]!
    if (value === before) continue
    addEvent(events, i === 0 ? 0 : i * STEP_MS + (Math.abs(seedAt(seed, i)) % 290) * 1000, value)
    before = value
  }
}
