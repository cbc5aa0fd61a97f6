import type { SourceRuns } from '../compaction/fold-batches.ts'
import { countOf, decodeChunk, firstOffset, type Samples } from '../storage/chunk-codec.ts'

/** Numeric observations of a point, ascending in time. */
export interface Series {
  /** Milliseconds since the epoch. */
  times: Float64Array
  values: Float64Array
  /** The source of each observation; absent or null where none was given. */
  sources?: (string | null)[] | null
}

/**
 * Observations of a point within one day. They are encoded if they come from a chunk, and decoded if they come from
 * batches that are not folded yet.
 */
export interface StoredChunk {
  dayStart: number
  data: Uint8Array | Samples
  sources?: SourceRuns | null
}

export function startOf({ dayStart, data }: StoredChunk): number {
  return dayStart + (data instanceof Uint8Array ? firstOffset(data) : (data.offsetsMs[0] ?? 0))
}

/** Returns arrays for this many observations. */
export type TakeArrays = (count: number) => { times: Float64Array; values: Float64Array }

const newArrays: TakeArrays = (count) => ({ times: new Float64Array(count), values: new Float64Array(count) })

/**
 * Takes the times of the first `total` observations from one array, and their values from another, so that `joined`
 * does not copy them.
 */
export function adjacentArrays(total: number): TakeArrays {
  const { times, values } = newArrays(total)
  let from = 0
  return (count) => {
    const to = from + count
    if (to > total) return newArrays(count)
    const taken = { times: times.subarray(from, to), values: values.subarray(from, to) }
    from = to
    return taken
  }
}

export function unpack({ dayStart, data, sources = null }: StoredChunk, take = newArrays): Series {
  const count = data instanceof Uint8Array ? countOf(data) : data.values.length
  const { times, values } = take(count)
  const { offsetsMs } =
    data instanceof Uint8Array ? decodeChunk(data, () => ({ offsetsMs: offsetsFor(count), values })) : data
  if (!(data instanceof Uint8Array)) values.set(data.values)
  for (let i = 0; i < count; i++) times[i] = dayStart + offsetsMs[i]!
  return { times, values, sources: spread(sources) }
}

/** The times of the chunk that is being unpacked, as offsets from the start of its day. */
let offsets = new Uint32Array(4096)

function offsetsFor(count: number): Uint32Array {
  if (count > offsets.length) offsets = new Uint32Array(2 * count)
  return offsets.subarray(0, count)
}

function spread(runs: SourceRuns | null): (string | null)[] | null {
  if (runs === null) return null
  // JSON.parse creates a string for each run, and a run may have a single observation. To save memory, equal names
  // share one string.
  const names = new Map<string | null, string | null>()
  return runs.flatMap(([count, source]) => {
    if (!names.has(source)) names.set(source, source)
    return Array<string | null>(count).fill(names.get(source)!)
  })
}

/** Merges two series. If both have an observation at the same instant, that of `later` is kept. */
export function overlay(earlier: Series, later: Series): Series {
  const times = new Float64Array(earlier.times.length + later.times.length)
  const values = new Float64Array(times.length)
  const sources: (string | null)[] | null = earlier.sources || later.sources ? [] : null
  let count = 0
  for (let e = 0, l = 0; e < earlier.times.length || l < later.times.length; count++) {
    const early = earlier.times[e] ?? Number.POSITIVE_INFINITY
    const late = later.times[l] ?? Number.POSITIVE_INFINITY
    times[count] = Math.min(early, late)
    values[count] = late <= early ? later.values[l]! : earlier.values[e]!
    sources?.push((late <= early ? later.sources?.[l] : earlier.sources?.[e]) ?? null)
    if (early <= late) e++
    if (late <= early) l++
  }
  return { times: times.subarray(0, count), values: values.subarray(0, count), sources }
}

/** The observations from `from` up to, not including, `to`. */
export function between(series: Series, from: number, to: number): Series {
  const low = firstAtOrAfter(series.times, from)
  const high = firstAtOrAfter(series.times, to)
  return low === 0 && high === series.times.length ? series : rowsOf(series, low, high)
}

/** Rows by index, from `low` up to, not including, `high`. */
export function rowsOf({ times, values, sources = null }: Series, low: number, high: number): Series {
  const part = { times: times.subarray(low, high), values: values.subarray(low, high) }
  return { ...part, sources: sources?.slice(low, high) ?? null }
}

function firstAtOrAfter(times: Float64Array, instant: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! < instant) low = middle + 1
    else high = middle
  }
  return low
}

/** Drops NaN, which stands for a text: texts have no history. */
export function onlyNumbers(series: Series): Series {
  const { times, values, sources = null } = series
  if (!hasNaN(values)) return series
  const isNumber = (_: unknown, i: number) => !Number.isNaN(values[i]!)
  return {
    times: times.filter(isNumber),
    values: values.filter(isNumber),
    sources: sources?.filter(isNumber) ?? null,
  }
}

/** Adds 0 times each value: the sum is NaN if a value is NaN. This is faster than checking each value. */
function hasNaN(values: Float64Array): boolean {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]! * 0
  return Number.isNaN(sum)
}

/** Joins consecutive parts. Arrays that are next to each other in memory are not copied. */
export function joined(parts: readonly Series[]): Series {
  if (parts.length === 1) return parts[0]!
  const sources: (string | null)[] | null = parts.some((part) => part.sources) ? [] : null
  if (sources) {
    for (const part of parts) for (let i = 0; i < part.times.length; i++) sources.push(part.sources?.[i] ?? null)
  }
  return {
    times: joinedArrays(parts.map(({ times }) => times)),
    values: joinedArrays(parts.map(({ values }) => values)),
    sources,
  }
}

function joinedArrays(parts: readonly Float64Array[]): Float64Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const [first] = parts
  if (first !== undefined && areAdjacent(parts)) return new Float64Array(first.buffer, first.byteOffset, length)
  const all = new Float64Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function areAdjacent(parts: readonly Float64Array[]): boolean {
  let end = parts[0]!.byteOffset
  for (const { buffer, byteOffset, byteLength } of parts) {
    if (buffer !== parts[0]!.buffer || byteOffset !== end) return false
    end += byteLength
  }
  return true
}
