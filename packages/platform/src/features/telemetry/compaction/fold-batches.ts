import { type Observations, sourceOf, valueText } from '../ingest/observations.ts'
import type { Samples } from '../storage/chunk-codec.ts'

const DAY_MS = 86_400_000

/** Runs of observations with the same source, in the order of the observations. */
export type SourceRuns = [count: number, source: string | null][]

/** The observations of one point and day, ascending, each instant once. NaN deletes the observation at its time. */
export interface FoldedChunk extends Samples {
  point: number
  /** Days since the epoch. */
  day: number
  sources: SourceRuns | null
}

export interface FoldedLatest {
  point: number
  atMs: number
  value: string
  source: string | null
}

export interface Folded {
  chunks: FoldedChunk[]
  latest: FoldedLatest[]
}

/** Turns batches into chunks and last values. The oldest batch is first, since later batches override earlier ones. */
export function foldBatches(batches: readonly Observations[]): Folded {
  const total = batches.reduce((sum, { count }) => sum + count, 0)
  const order = byPoint(batches, total)
  const hasSources = batches.some(({ sources }) => sources !== null)
  const chunks: FoldedChunk[] = []
  const latest: FoldedLatest[] = []
  for (let from = 0; from < total; ) {
    const point = order.points[from]!
    let to = from + 1
    while (to < total && order.points[to] === point) to++
    const rows = sortedByTime(order, from, to)
    latest.push(lastOf(batches, order, point, rows))
    foldPoint(batches, order, point, rows, hasSources, chunks)
    from = to
  }
  return { chunks, latest }
}

interface Order {
  points: Int32Array
  times: Float64Array
  /** The batch of the observation and its index in it. */
  batch: Uint32Array
  place: Uint32Array
}

/** A counting sort: points are small numbers, and the order of arrival is kept. */
function byPoint(batches: readonly Observations[], total: number): Order {
  let largest = 0
  for (const { points, count } of batches) {
    for (let i = 0; i < count; i++) if (points[i]! > largest) largest = points[i]!
  }
  const starts = new Uint32Array(largest + 2)
  for (const { points, count } of batches) for (let i = 0; i < count; i++) starts[points[i]! + 1]!++
  for (let point = 1; point < starts.length; point++) starts[point]! += starts[point - 1]!
  const order: Order = {
    points: new Int32Array(total),
    times: new Float64Array(total),
    batch: new Uint32Array(total),
    place: new Uint32Array(total),
  }
  for (const [b, { points, times, count }] of batches.entries()) {
    for (let i = 0; i < count; i++) {
      const at = starts[points[i]!]!++
      order.points[at] = points[i]!
      order.times[at] = times[i]!
      order.batch[at] = b
      order.place[at] = i
    }
  }
  return order
}

/** Rows of a point in order of time; of those at one instant only the last to arrive. */
function sortedByTime({ times }: Order, from: number, to: number): Uint32Array {
  const rows = new Uint32Array(to - from)
  for (let i = 0; i < rows.length; i++) rows[i] = from + i
  let isSorted = true
  for (let i = from + 1; i < to && isSorted; i++) isSorted = times[i]! > times[i - 1]!
  if (isSorted) return rows
  rows.sort((a, b) => times[a]! - times[b]! || a - b)
  let count = 0
  for (let i = 0; i < rows.length; i++) {
    const isLast = i === rows.length - 1 || times[rows[i]!] !== times[rows[i + 1]!]
    if (isLast) rows[count++] = rows[i]!
  }
  return rows.subarray(0, count)
}

function lastOf(batches: readonly Observations[], order: Order, point: number, rows: Uint32Array): FoldedLatest {
  const row = rows[rows.length - 1]!
  const batch = batches[order.batch[row]!]!
  const place = order.place[row]!
  return { point, atMs: order.times[row]!, value: valueText(batch, place), source: sourceOf(batch, place) }
}

function foldPoint(
  batches: readonly Observations[],
  { times, batch, place }: Order,
  point: number,
  rows: Uint32Array,
  hasSources: boolean,
  chunks: FoldedChunk[],
): void {
  for (let from = 0; from < rows.length; ) {
    const day = Math.floor(times[rows[from]!]! / DAY_MS)
    const end = (day + 1) * DAY_MS
    let to = from + 1
    while (to < rows.length && times[rows[to]!]! < end) to++
    const offsetsMs = new Uint32Array(to - from)
    const values = new Float64Array(to - from)
    const sources: SourceRuns = []
    for (let i = from; i < to; i++) {
      const row = rows[i]!
      const observations = batches[batch[row]!]!
      offsetsMs[i - from] = times[row]! - day * DAY_MS
      values[i - from] = observations.values[place[row]!]!
      if (hasSources) addRun(sources, sourceOf(observations, place[row]!))
    }
    chunks.push({ point, day, offsetsMs, values, sources: runsOrNull(sources) })
    from = to
  }
}

export function addRun(runs: SourceRuns, source: string | null, count = 1): void {
  const last = runs.at(-1)
  if (last !== undefined && last[1] === source) last[0] += count
  else runs.push([count, source])
}

export const runsOrNull = (runs: SourceRuns): SourceRuns | null =>
  runs.every(([, source]) => source === null) ? null : runs
