import { type Observations, sourceOf } from '../ingest/observations.ts'
import type { Samples } from '../storage/chunk-codec.ts'

const DAY_MS = 86_400_000

/** Runs of observations with the same source, in the order of the observations. */
export type SourceRuns = [count: number, source: string | null][]

/**
 * The observations of one point and day, ascending, each instant once. Texts have no history: NaN stands for a text,
 * and replaces the number that an earlier chunk has at the same instant.
 */
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

/**
 * Observations in the order of arrival. Each access to `points`, `times` or `values` may decode the column (`openBatch`
 * in `storage/read-batch.ts`), so these are read once per loop over the observations.
 */
type Batch = Readonly<Observations>

/** The arrays in which observations are sorted. */
export interface SortedColumns {
  times: Float64Array
  values: Float64Array
  offsetsMs: Uint32Array
}

export const newSortedColumns = (count: number): SortedColumns => ({
  times: new Float64Array(count),
  values: new Float64Array(count),
  offsetsMs: new Uint32Array(count),
})

/**
 * Turns batches into chunks and last values. The oldest batch is first, since later batches override earlier ones. The
 * arrays of all chunks are views of the columns that `take` returns for the number of observations.
 */
export function foldBatches(batches: readonly Batch[], take = newSortedColumns): Folded {
  const columns = byPoint(batches, take)
  const { ends, offsetsMs } = columns
  const folded: Folded = { chunks: [], latest: [] }
  for (let point = 1; point < ends.length; point++) {
    const [from, to] = [ends[point - 1]!, ends[point]!]
    if (from === to) continue
    const end = inOrderOfTime(columns, from, to)
    folded.latest.push(lastOf(batches, columns, point, end - 1))
    foldPoint(batches, columns, { point, from, end }, offsetsMs, folded.chunks)
  }
  return folded
}

/** All observations, ordered by point, and for each point in the order of arrival, until `inOrderOfTime` sorts them. */
interface Columns extends SortedColumns {
  /** By the number of a point: where its observations end. They begin where those of the previous number end. */
  ends: Uint32Array
  /** Where each observation came from. Undefined if no batch has texts or sources, which is the usual case. */
  origins: Origins | undefined
}

interface Origins {
  /** The index of the batch of each observation. */
  batch: Uint32Array
  /** The index of each observation in its batch. */
  place: Uint32Array
}

/** A counting sort, since points are small numbers. */
function byPoint(batches: readonly Batch[], take: (count: number) => SortedColumns): Columns {
  const total = batches.reduce((sum, { count }) => sum + count, 0)
  let ends = new Uint32Array(1024)
  let largest = 0
  for (const { points, count } of batches) {
    for (let i = 0; i < count; i++) {
      const point = points[i]!
      if (point > largest) {
        largest = point
        if (point + 1 >= ends.length) ends = copiedInto(new Uint32Array(2 * (point + 1)), ends)
      }
      ends[point + 1]!++
    }
  }
  for (let point = 1; point <= largest + 1; point++) ends[point]! += ends[point - 1]!
  const { times, values, offsetsMs } = take(total)
  const hasOrigins = batches.some(({ texts, sources }) => texts.size > 0 || sources !== null)
  const origins = hasOrigins ? { batch: new Uint32Array(total), place: new Uint32Array(total) } : undefined
  // Until here `ends` has the position where the observations of each point begin. This position moves to their end as
  // they are added.
  for (const [b, batch] of batches.entries()) {
    const { count, points, times: batchTimes, values: batchValues } = batch
    for (let i = 0; i < count; i++) {
      const at = ends[points[i]!]!++
      times[at] = batchTimes[i]!
      values[at] = batchValues[i]!
      if (origins === undefined) continue
      origins.batch[at] = b
      origins.place[at] = i
    }
  }
  return { times, values, offsetsMs, ends: ends.subarray(0, largest + 1), origins }
}

function copiedInto(larger: Uint32Array<ArrayBuffer>, all: Uint32Array): Uint32Array<ArrayBuffer> {
  larger.set(all)
  return larger
}

/** The maximum number of steps per observation in the insertion sort (`sortSteps`). Beyond that `sortAll` sorts. */
const MAX_STEPS = 4

/**
 * Sorts the observations of a point by time. Of several observations at one instant, only the one that arrived last is
 * kept. Returns where the kept observations end.
 */
function inOrderOfTime(columns: Columns, from: number, to: number): number {
  const { times } = columns
  let at = from + 1
  while (at < to && times[at]! > times[at - 1]!) at++
  if (at >= to) return to
  if (!sortSteps(columns, from, to)) sortAll(columns, from, to)
  return dropReplaced(columns, from, to)
}

/**
 * An insertion sort. The observations of several connections arrive nearly in order, so it takes few steps. Returns
 * false if it would take too many; then the observations are only partly sorted.
 */
function sortSteps({ times, values, origins }: Columns, from: number, to: number): boolean {
  const columns = origins ? [times, values, origins.batch, origins.place] : [times, values]
  let left = MAX_STEPS * (to - from)
  for (let i = from + 1; i < to; i++) {
    const time = times[i]!
    let at = i
    while (at > from && times[at - 1]! > time) at--
    if (at === i) continue
    left -= i - at
    if (left < 0) return false
    for (const column of columns) {
      const moved = column[i]!
      for (let j = i; j > at; j--) column[j] = column[j - 1]!
      column[at] = moved
    }
  }
  return true
}

function sortAll({ times, values, origins }: Columns, from: number, to: number): void {
  const rows = new Uint32Array(to - from)
  for (let i = 0; i < rows.length; i++) rows[i] = from + i
  rows.sort((a, b) => times[a]! - times[b]! || a - b)
  for (const column of [times, values, ...(origins ? [origins.batch, origins.place] : [])]) {
    const sorted = Float64Array.from(rows, (row) => column[row]!)
    column.set(sorted, from)
  }
}

/** Keeps only the last of several observations at one instant. Returns where the kept observations end. */
function dropReplaced({ times, values, origins }: Columns, from: number, to: number): number {
  let end = from
  for (let i = from; i < to; i++) {
    if (i + 1 < to && times[i] === times[i + 1]) continue
    times[end] = times[i]!
    values[end] = values[i]!
    if (origins !== undefined) {
      origins.batch[end] = origins.batch[i]!
      origins.place[end] = origins.place[i]!
    }
    end++
  }
  return end
}

function lastOf(
  batches: readonly Batch[],
  { times, values, origins }: Columns,
  point: number,
  row: number,
): FoldedLatest {
  const atMs = times[row]!
  const number = String(values[row])
  if (origins === undefined) return { point, atMs, value: number, source: null }
  const batch = batches[origins.batch[row]!]!
  const place = origins.place[row]!
  return { point, atMs, value: batch.texts.get(place) ?? number, source: sourceOf(batch, place) }
}

function foldPoint(
  batches: readonly Batch[],
  { times, values, origins }: Columns,
  { point, from, end }: { point: number; from: number; end: number },
  offsetsMs: Uint32Array,
  chunks: FoldedChunk[],
): void {
  for (let start = from; start < end; ) {
    const day = Math.floor(times[start]! / DAY_MS)
    const dayStart = day * DAY_MS
    const nextDay = dayStart + DAY_MS
    let to = start
    for (; to < end && times[to]! < nextDay; to++) offsetsMs[to] = times[to]! - dayStart
    const sources = origins === undefined ? null : sourcesOf(batches, origins, start, to)
    chunks.push({ point, day, offsetsMs: offsetsMs.subarray(start, to), values: values.subarray(start, to), sources })
    start = to
  }
}

function sourcesOf(batches: readonly Batch[], { batch, place }: Origins, from: number, to: number): SourceRuns | null {
  const runs: SourceRuns = []
  for (let i = from; i < to; i++) addRun(runs, sourceOf(batches[batch[i]!]!, place[i]!))
  return runsOrNull(runs)
}

export function addRun(runs: SourceRuns, source: string | null, count = 1): void {
  const last = runs.at(-1)
  if (last !== undefined && last[1] === source) last[0] += count
  else runs.push([count, source])
}

export const runsOrNull = (runs: SourceRuns): SourceRuns | null =>
  runs.every(([, source]) => source === null) ? null : runs
