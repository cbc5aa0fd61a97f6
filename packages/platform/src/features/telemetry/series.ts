import { decodeChunk } from '../../telemetry/chunk-codec.ts'

/** Numeric observations of a point, ascending in time. */
export interface Series {
  /** Milliseconds since the epoch. */
  times: Float64Array
  values: Float64Array
}

export interface StoredChunk {
  dayStart: number
  data: Uint8Array
}

/**
 * The observations from `from` up to, not including, `to`. Chunks come in order of day and then of arrival: where two
 * hold the same instant, the one that arrived later counts.
 */
export function seriesOf(chunks: readonly StoredChunk[], from: number, to: number): Series {
  const parts: Series[] = []
  for (let i = 0; i < chunks.length; ) {
    const { dayStart } = chunks[i]!
    let day = unpack(chunks[i]!)
    for (i++; i < chunks.length && chunks[i]!.dayStart === dayStart; i++) day = overlay(day, unpack(chunks[i]!))
    parts.push(between(day, from, to))
  }
  return joined(parts)
}

function unpack({ dayStart, data }: StoredChunk): Series {
  const { offsetsMs, values } = decodeChunk(data)
  return { times: Float64Array.from(offsetsMs, (offset) => dayStart + offset), values }
}

/** Both in one, with the later one's value where they meet. */
function overlay(earlier: Series, later: Series): Series {
  const times = new Float64Array(earlier.times.length + later.times.length)
  const values = new Float64Array(times.length)
  let count = 0
  for (let e = 0, l = 0; e < earlier.times.length || l < later.times.length; count++) {
    const early = earlier.times[e] ?? Number.POSITIVE_INFINITY
    const late = later.times[l] ?? Number.POSITIVE_INFINITY
    times[count] = Math.min(early, late)
    values[count] = late <= early ? later.values[l]! : earlier.values[e]!
    if (early <= late) e++
    if (late <= early) l++
  }
  return { times: times.subarray(0, count), values: values.subarray(0, count) }
}

function between({ times, values }: Series, from: number, to: number): Series {
  const low = firstAtOrAfter(times, from)
  const high = firstAtOrAfter(times, to)
  return { times: times.subarray(low, high), values: values.subarray(low, high) }
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

function joined(parts: readonly Series[]): Series {
  if (parts.length === 1) return parts[0]!
  const length = parts.reduce((sum, part) => sum + part.times.length, 0)
  const times = new Float64Array(length)
  const values = new Float64Array(length)
  let at = 0
  for (const part of parts) {
    times.set(part.times, at)
    values.set(part.values, at)
    at += part.times.length
  }
  return { times, values }
}
