import type { SeriesTable } from '@storey/sdk'
import type { ReplayWindow } from './window.ts'

/**
 * How the values of points are read. `measured`: averages of a sensor that reports at intervals; `held`: a state or
 * count that is reported when it changes and holds until the next report; `consumed`: the consumption of a meter.
 */
export type FrameKind = 'measured' | 'held' | 'consumed'

/** The values of the rooms over time. */
export interface Frames {
  /** The index of each room: `r` in the description of `values`. */
  rooms: ReadonlyMap<string, number>
  count: number
  kind: FrameKind
  /** Frame `i` of room `r` is at `r * count + i`; NaN if the room has no value then. */
  values: Float64Array
}

/** A silent sensor keeps its value for this long, or for `HOLD_FACTOR` times its usual interval if that is longer. */
const MIN_HOLD_MS = 3_600_000
const HOLD_FACTOR = 4

/** Puts the series of the points into frames. A room shows the first of its points that has a value. */
export function framesOf(
  tables: readonly SeriesTable[],
  spaceOf: ReadonlyMap<string, string>,
  kind: FrameKind,
  { from, count, stepMs }: Pick<ReplayWindow, 'from' | 'count' | 'stepMs'>,
): Frames {
  const rooms = new Map<string, number>()
  for (const spaceId of spaceOf.values()) if (!rooms.has(spaceId)) rooms.set(spaceId, rooms.size)
  const values = new Float64Array(rooms.size * count).fill(Number.NaN)
  for (const { timestamps, series } of tables) {
    const places = placesOf(timestamps.map(Date.parse), from, count, stepMs)
    for (const one of series) {
      const room = rooms.get(spaceOf.get(one.pointId) ?? '')
      if (room === undefined) continue
      const own = values.subarray(room * count, (room + 1) * count)
      const filled = fill(
        places.map((place) => one.values[place] ?? null),
        kind,
        stepMs,
      )
      for (let i = 0; i < count; i++) if (Number.isNaN(own[i]!)) own[i] = filled[i] ?? Number.NaN
    }
  }
  return { rooms, count, kind, values }
}

/** For each frame, the index of the interval that contains it. The intervals of a meter are longer than a frame. */
function placesOf(starts: readonly number[], from: number, count: number, stepMs: number): number[] {
  let place = -1
  return Array.from({ length: count }, (_, frame) => {
    while (place + 1 < starts.length && starts[place + 1]! <= from + frame * stepMs) place++
    return place
  })
}

function fill(values: readonly (number | null)[], kind: FrameKind, stepMs: number): (number | null)[] {
  if (kind === 'measured') return holdBriefly(values, stepMs)
  return kind === 'held' ? values.map((_, i) => stateAt(values, i)) : [...values]
}

/** Repeats the last reading in intervals without a reading. After a limit, a silent sensor has no value. */
function holdBriefly(values: readonly (number | null)[], stepMs: number): (number | null)[] {
  const known = values.flatMap((value, i) => (value === null ? [] : [i]))
  const gaps = known.slice(1).map((place, i) => place - known[i]!)
  const usual = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 1
  const limit = Math.max(MIN_HOLD_MS / stepMs, usual * HOLD_FACTOR)
  let [last, age] = [null as number | null, 0]
  return values.map((value) => {
    if (value !== null) [last, age] = [value, 0]
    else age++
    return age <= limit ? last : null
  })
}

/**
 * Each value is the mean over an interval. It is a whole number unless the state changed in the interval. If the state
 * changed, the new state is the value of the next interval if that is a whole number, else the rounded mean of this
 * interval.
 */
function stateAt(values: readonly (number | null)[], i: number): number | null {
  const value = values[i] ?? null
  if (value === null || isWhole(value)) return value === null ? null : Math.round(value)
  const next = values[i + 1] ?? null
  return Math.round(next !== null && isWhole(next) ? next : value)
}
const isWhole = (value: number) => Math.abs(value - Math.round(value)) < 1e-9
