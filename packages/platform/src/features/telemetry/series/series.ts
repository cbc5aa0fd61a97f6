import type { SourceRuns } from '../compaction/fold-batches.ts'
import { decodeChunk, firstOffset, type Samples } from '../storage/chunk-codec.ts'

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

export function unpack({ dayStart, data, sources = null }: StoredChunk): Series {
  const { offsetsMs, values } = data instanceof Uint8Array ? decodeChunk(data) : data
  const times = new Float64Array(offsetsMs.length)
  for (let i = 0; i < times.length; i++) times[i] = dayStart + offsetsMs[i]!
  return { times, values, sources: spread(sources) }
}

function spread(runs: SourceRuns | null): (string | null)[] | null {
  if (runs === null) return null
  // JSON.parse creates a string for each run, and a run may have a single observation. To save memory, equal names share
  // one string.
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

/** Joins consecutive parts. */
export function joined(parts: readonly Series[]): Series {
  if (parts.length === 1) return parts[0]!
  const length = parts.reduce((sum, part) => sum + part.times.length, 0)
  const times = new Float64Array(length)
  const values = new Float64Array(length)
  const sources: (string | null)[] | null = parts.some((part) => part.sources) ? [] : null
  let at = 0
  for (const part of parts) {
    times.set(part.times, at)
    values.set(part.values, at)
    if (sources) for (let i = 0; i < part.times.length; i++) sources.push(part.sources?.[i] ?? null)
    at += part.times.length
  }
  return { times, values, sources }
}
