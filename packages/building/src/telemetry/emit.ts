import { DAY_MS, STEPS } from './clock.ts'
import type { InjectedFault } from './injected-faults.ts'
import { seedAt } from './noise.ts'
import {
  changesOf,
  createEvents,
  type EventBuffer,
  type PointSeries,
  regularOffsets,
  type Sampling,
  simulateSensor,
} from './series.ts'

/** Turns a day's values of a point into samples. The values are computed by the signal of the point (`plan.ts`). */
export interface Emitter {
  /** The signal writes a value for each step into this buffer. */
  values: Float64Array
  /** The signal of a point with irregular times writes its samples into this buffer. */
  events: EventBuffer
  startDay(
    dayStart: number,
    window: { lowMs: number; highMs: number },
    faults: readonly InjectedFault[],
    isWarmUp: boolean,
  ): void
  /** Whether a point must be computed: during the warm-up (see `simulate.ts`) only if it has a fault. */
  needs(pointIndex: number): boolean
  emit(pointIndex: number, sampling: EmitSampling, seed: number, hasEvents: boolean): PointSeries | null
}

/** Compact values have one entry per sample, not one per step. */
type EmitSampling = Sampling & { isCompact?: boolean }

export function createEmitter(): Emitter {
  const values = new Float64Array(STEPS)
  const events = createEvents()
  const changes = createEvents()
  const gapOffsets = new Uint32Array(STEPS)
  /** The value at which each stuck sensor stopped, by the id of the fault. */
  const stuckValues = new Map<string, number>()
  let faultsByPoint = new Map<number, InjectedFault[]>()
  let dayStart = 0
  let low = 0
  let high = 0
  let isWarmUp = false

  function regular(pointIndex: number, sampling: EmitSampling, seed: number): PointSeries | null {
    const { everySteps } = sampling
    const count = STEPS / everySteps
    if (everySteps > 1 && !sampling.isCompact) for (let i = 0; i < count; i++) values[i] = values[i * everySteps]!
    simulateSensor(values, count, sampling, seed, dayStart / DAY_MS)
    let offsets = regularOffsets(everySteps)
    let length = count
    for (const fault of faultsByPoint.get(pointIndex) ?? []) {
      if (fault.kind === 'gap') {
        length = withoutGap(fault, offsets, length)
        offsets = gapOffsets
      } else applyFault(fault, offsets, length, sampling.perUnit)
    }
    return isWarmUp ? null : windowed(pointIndex, offsets, values, length)
  }

  function applyFault(fault: InjectedFault, offsets: Uint32Array, length: number, perUnit: number): void {
    for (let i = 0; i < length; i++) {
      const timeMs = dayStart + offsets[i]!
      if (timeMs < fault.startMs || timeMs >= fault.endMs) continue
      if (fault.kind === 'stuck-sensor') {
        const stuck = fault.amount === 0 ? stuckValues.get(fault.id) : fault.amount
        if (stuck === undefined) stuckValues.set(fault.id, values[i]!)
        else values[i] = stuck
      } else if (fault.kind === 'drift') {
        const drifted = values[i]! + (fault.amount * (timeMs - fault.startMs)) / 3_600_000
        values[i] = Math.round(drifted * perUnit) / perUnit
      }
    }
  }

  function withoutGap(fault: InjectedFault, offsets: Uint32Array, length: number): number {
    let kept = 0
    for (let i = 0; i < length; i++) {
      const timeMs = dayStart + offsets[i]!
      if (timeMs >= fault.startMs && timeMs < fault.endMs) continue
      gapOffsets[kept] = offsets[i]!
      values[kept] = values[i]!
      kept++
    }
    return kept
  }

  function windowed(
    pointIndex: number,
    offsets: Uint32Array,
    of: Float64Array,
    length: number,
    words?: readonly string[],
  ): PointSeries | null {
    let from = 0
    let to = length
    while (from < to && offsets[from]! < low) from++
    while (to > from && offsets[to - 1]! >= high) to--
    if (from === to) return null
    const series: PointSeries = { pointIndex, offsetsMs: offsets.subarray(from, to), values: of.subarray(from, to) }
    if (words) series.texts = Array.from(series.values, (value) => words[value]!)
    return series
  }

  return {
    values,
    events,
    startDay(start, window, faults, warmUp) {
      dayStart = start
      low = window.lowMs
      high = window.highMs
      isWarmUp = warmUp
      faultsByPoint = new Map()
      for (const fault of faults) {
        const list = faultsByPoint.get(fault.pointIndex)
        if (list) list.push(fault)
        else faultsByPoint.set(fault.pointIndex, [fault])
      }
    },
    needs: (pointIndex) => !isWarmUp || faultsByPoint.has(pointIndex),
    emit(pointIndex, sampling, seed, hasEvents) {
      if (sampling.everySteps > 0) return regular(pointIndex, sampling, seed)
      if (hasEvents) {
        const { count } = events
        events.count = 0
        return isWarmUp ? null : windowed(pointIndex, events.offsetsMs, events.values, count, sampling.words)
      }
      simulateSensor(values, STEPS, sampling, seed, 0)
      changesOf(values, changes, seedAt(seed, dayStart / DAY_MS))
      return isWarmUp ? null : windowed(pointIndex, changes.offsetsMs, changes.values, changes.count, sampling.words)
    },
  }
}
