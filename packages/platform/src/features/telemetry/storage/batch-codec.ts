import type { Observations } from '../ingest/observations.ts'
import { decodeFirstForm } from './first-batch-form.ts'
import { bytesAt, doubles, type NarrowColumn, narrow, widen } from './narrow-column.ts'

interface Rest {
  texts?: [number, string][]
  sourceNames?: string[]
  /** Runs of observations with the same source: their count, and the number of the source. */
  sources?: [number, number][]
}

const HEAD = 40
/** The form of a batch. In batches of earlier versions this byte is 0 or 1. */
const FORM = 2
/** The maximum number of decimal places that are tried. */
const MAX_PLACES = 4
const POWERS = [1, 10, 100, 1000, 10_000] as const
const SECOND_MS = 1000

/**
 * How many bytes an observation counts in the limits of folding, in addition to the bytes of its batch. It is a rough
 * measure of memory: the decoded and the sorted columns take 20 bytes each.
 */
export const DECODED_BYTES = 12

/**
 * A batch of observations as it is stored until it is folded into chunks. Its columns have only the bytes that their
 * numbers need: a thousand observations of one moment with one decimal place take about 3 KB.
 *
 *   4 bytes  count
 *   1 byte   the form, 2
 *   3 bytes  the widths of the values, points and times (`narrow-column.ts`)
 *   1 byte   the decimal places of the values
 *   1 byte   1 if the times are seconds, 0 if they are milliseconds
 *   6 bytes  unused
 *   24 bytes the bases of the three columns, as doubles
 *   values   times ten to the power of their decimal places; or doubles
 *   points   their numbers
 *   times    since the epoch
 *   rest     JSON of the texts and the sources, where there are any
 *
 * All numbers are little-endian. The sign of zero is not kept.
 */
export function encodeBatch(batch: Observations): Buffer {
  const { count } = batch
  const [values, times] = [batch.values.subarray(0, count), batch.times.subarray(0, count)]
  const places = decimalPlacesOf(values)
  const inSeconds = areWholeSeconds(times)
  const columns: NarrowColumn[] = [
    (places === undefined ? undefined : narrow(values, POWERS[places])) ?? doubles(values),
    narrow(batch.points.subarray(0, count))!,
    narrow(times, inSeconds ? 1 / SECOND_MS : 1) ?? doubles(times),
  ]
  const rest = restOf(batch)
  const data = Buffer.alloc(HEAD + columns.reduce((sum, { bytes }) => sum + bytes.length, rest.length))
  data.writeUInt32LE(count, 0)
  data.set([FORM, ...columns.map(({ width }) => width), places ?? 0, inSeconds ? 1 : 0], 4)
  let at = HEAD
  for (const [i, { base, bytes }] of columns.entries()) {
    data.writeDoubleLE(base, 16 + i * 8)
    data.set(bytes, at)
    at += bytes.length
  }
  data.set(rest, at)
  return data
}

/** The fewest decimal places with which all values are exact. Undefined: none are enough, or there is a text. */
function decimalPlacesOf(values: Float64Array): number | undefined {
  let places = 0
  let power: number = POWERS[0]
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    while (Math.round(value * power) / power !== value) {
      if (++places > MAX_PLACES) return undefined
      power = POWERS[places]!
    }
  }
  return places
}

function areWholeSeconds(times: Float64Array): boolean {
  for (let i = 0; i < times.length; i++) if (times[i]! % SECOND_MS !== 0) return false
  return true
}

function restOf({ count, texts, sources, sourceNames }: Observations): Buffer {
  if (texts.size === 0 && sources === null) return Buffer.alloc(0)
  const rest: Rest = {}
  if (texts.size > 0) rest.texts = [...texts]
  if (sources !== null) {
    rest.sourceNames = sourceNames
    rest.sources = []
    for (let from = 0; from < count; ) {
      let to = from + 1
      while (to < count && sources[to] === sources[from]) to++
      rest.sources.push([to - from, sources[from]!])
      from = to
    }
  }
  return Buffer.from(JSON.stringify(rest))
}

export type DecodedColumns = Pick<Observations, 'points' | 'times' | 'values'>

export const newColumns = (count: number): DecodedColumns => ({
  points: new Int32Array(count),
  times: new Float64Array(count),
  values: new Float64Array(count),
})

/** Decodes a batch into the columns that `take` returns for its count. */
export function decodeBatch(data: Buffer, take = newColumns): Observations {
  const count = data.readUInt32LE(0)
  const { points, times, values, end } =
    data[4] === FORM ? decodeColumns(data, take(count)) : decodeFirstForm(data, count)
  const tail = data.subarray(end)
  const rest: Rest = tail.length === 0 ? {} : JSON.parse(tail.toString())
  const { texts = [], sourceNames = [] } = rest
  return { count, points, times, values, texts: new Map(texts), sources: sourcesOf(rest, count), sourceNames }
}

function decodeColumns(data: Buffer, into: DecodedColumns) {
  const count = into.points.length
  let end = HEAD
  const next = (i: number): NarrowColumn => {
    const width = data[5 + i]!
    const bytes = data.subarray(end, end + bytesAt(width) * count)
    end += bytes.length
    return { base: data.readDoubleLE(16 + i * 8), width, bytes }
  }
  const [values, points, times] = [next(0), next(1), next(2)]
  return {
    values: widen(values, into.values, { by: POWERS[data[8]!]! }),
    points: widen(points, into.points),
    times: widen(times, into.times, { times: data[9] === 1 ? SECOND_MS : 1 }),
    end,
  }
}

function sourcesOf({ sources }: Rest, count: number): Uint16Array | null {
  if (sources === undefined) return null
  const each = new Uint16Array(count)
  let at = 0
  for (const [length, number] of sources) {
    each.fill(number, at, at + length)
    at += length
  }
  return each
}
