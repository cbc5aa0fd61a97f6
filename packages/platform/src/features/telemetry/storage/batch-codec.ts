import type { Observations } from '../ingest/observations.ts'
import { planColumn, planDoubles, putColumn, type Range, sizeOf } from './narrow-column.ts'

/** The end of a batch, as JSON. */
export interface BatchRest {
  texts?: [number, string][]
  sourceNames?: string[]
  /** Runs of observations with the same source: their count, and the number of the source. */
  sources?: [number, number][]
}

/** The bytes before the columns. */
export const HEAD = 40
/** The form of a batch. In batches of earlier versions this byte is 0 or 1. */
export const FORM = 2
/** The maximum number of decimal places that are tried. */
const MAX_PLACES = 4
export const POWERS = [1, 10, 100, 1000, 10_000] as const
export const SECOND_MS = 1000

/**
 * How many bytes an observation counts in the limits of folding, in addition to the bytes of its batch. It is a rough
 * measure of memory: an observation takes 20 bytes in the sorted columns.
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
 *   values   multiplied by ten to the power of their decimal places, or doubles
 *   points   their numbers
 *   times    since the epoch
 *   rest     JSON of the texts and the sources, where there are any
 *
 * All numbers are little-endian. The sign of zero is not kept.
 */
export function encodeBatch(batch: Observations): Buffer {
  const { count } = batch
  const [values, times] = [batch.values.subarray(0, count), batch.times.subarray(0, count)]
  const decimals = decimalsOf(values)
  const inSeconds = areWholeSeconds(times)
  const columns = [
    decimals ? planColumn(values, POWERS[decimals.places], decimals) : planDoubles(values),
    planColumn(pointsAsDoubles(batch)),
    planColumn(times, inSeconds ? 1 / SECOND_MS : 1),
  ]
  const rest = restOf(batch)
  const data = Buffer.allocUnsafe(columns.reduce((sum, column) => sum + sizeOf(column), HEAD + rest.length))
  data.fill(0, 0, HEAD)
  data.writeUInt32LE(count, 0)
  data[4] = FORM
  data[8] = decimals?.places ?? 0
  data[9] = inSeconds ? 1 : 0
  let at = HEAD
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i]!
    data[5 + i] = column.width
    data.writeDoubleLE(column.base, 16 + i * 8)
    at = putColumn(column, data, at)
  }
  data.set(rest, at)
  return data
}

let pointNumbers = new Float64Array(4096)

/** All columns are written from doubles, since loops over arrays of several types are much slower. */
function pointsAsDoubles({ points, count }: Observations): Float64Array {
  if (pointNumbers.length < count) pointNumbers = new Float64Array(2 * count)
  pointNumbers.set(points.subarray(0, count))
  return pointNumbers.subarray(0, count)
}

/**
 * The fewest decimal places with which all values are exact, and the range of the values. Undefined: no number of decimal
 * places is enough, or there is a text.
 */
function decimalsOf(values: Float64Array): (Range & { places: number }) | undefined {
  let places = 0
  let power: number = POWERS[0]
  let min = values[0] ?? 0
  let max = min
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    while (Math.round(value * power) / power !== value) {
      if (++places > MAX_PLACES) return undefined
      power = POWERS[places]!
    }
    if (value < min) min = value
    else if (value > max) max = value
  }
  return { places, min, max }
}

function areWholeSeconds(times: Float64Array): boolean {
  let before = 0
  for (let i = 0; i < times.length; i++) {
    const time = times[i]!
    // Consecutive observations mostly have the same time, and `%` is slow.
    if (time === before) continue
    if (time % SECOND_MS !== 0) return false
    before = time
  }
  return true
}

function restOf({ count, texts, sources, sourceNames }: Observations): Buffer {
  if (texts.size === 0 && sources === null) return Buffer.alloc(0)
  const rest: BatchRest = {}
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
