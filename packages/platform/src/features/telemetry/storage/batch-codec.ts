import type { Observations } from '../ingest/observations.ts'
import { type ColumnPlan, planColumn, planDoubles, putColumn, type Range, sizeOf } from './narrow-column.ts'

/** The end of a part, which is JSON: the texts and the sources of the observations. */
export interface PartRest {
  texts?: [number, string][]
  sourceNames?: string[]
  /** Runs of observations with the same source: their count, and the number of the source. */
  sources?: [number, number][]
}

/** The bytes before the columns. */
export const HEAD = 44
/** The format of a part. The previous version of this code wrote format 2, and earlier versions wrote 0 or 1. */
export const FORMAT = 3
/** The maximum number of decimal places that are tried. */
const MAX_PLACES = 4
export const POWERS = [1, 10, 100, 1000, 10_000] as const
/**
 * If a value has no more decimal places than a power of ten has zeros, and their product is at most this, then the
 * rounded product divided by the power is exactly the value.
 */
const MAX_EXACT_PRODUCT = 2 ** 50
export const SECOND_MS = 1000

/**
 * The limits of folding count this many bytes for each observation, in addition to the bytes of its batch. This is a
 * rough estimate of the memory for folding, in which the sorted columns take 20 bytes per observation.
 */
export const DECODED_BYTES = 16

/**
 * A batch is stored until it is folded into chunks. It consists of one or more parts, one after the other, each with
 * observations in the order of arrival. The columns of a part have only the bytes that their numbers need: a thousand
 * observations of consecutive points at one moment with one decimal place take about 1 KB.
 *
 *   4 bytes  count
 *   1 byte   the format, 3
 *   3 bytes  the widths of the values, points and times (`narrow-column.ts`)
 *   1 byte   the decimal places of the values
 *   1 byte   1 if the times are seconds, 0 if they are milliseconds
 *   1 byte   1 if each point is stored as the difference from the point before, otherwise 0
 *   1 byte   unused
 *   4 bytes  the length of the rest
 *   24 bytes the bases of the three columns, as doubles
 *   4 bytes  the number to which the first difference is added, if the points are differences
 *   values   the values times ten to the power of the decimal places, or doubles
 *   points   the numbers of the points, or differences
 *   times    the times since the epoch
 *   rest     JSON of the texts and the sources, if there are any
 *
 * All numbers are little-endian. The sign of zero is not kept.
 */
export function encodePart(part: Observations): Buffer {
  const { count } = part
  const [values, times] = [part.values.subarray(0, count), part.times.subarray(0, count)]
  const decimals = decimalsOf(values)
  const inSeconds = areWholeSeconds(times)
  const points = planPoints(part)
  const columns = [
    decimals ? planColumn(values, POWERS[decimals.places], decimals) : planDoubles(values),
    points.column,
    planColumn(times, inSeconds ? 1 / SECOND_MS : 1),
  ]
  const rest = restOf(part)
  const data = Buffer.allocUnsafe(columns.reduce((sum, column) => sum + sizeOf(column), HEAD + rest.length))
  data.fill(0, 0, HEAD)
  data.writeUInt32LE(count, 0)
  data[4] = FORMAT
  data[8] = decimals?.places ?? 0
  data[9] = inSeconds ? 1 : 0
  data[10] = points.areDifferences ? 1 : 0
  data.writeUInt32LE(rest.length, 12)
  data.writeInt32LE(points.before, 40)
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
let pointDifferences = new Float64Array(4096)

interface PointsPlan {
  column: ColumnPlan
  areDifferences: boolean
  before: number
}

/** If a client sends its points in the order of their numbers, the differences need fewer bytes than the numbers. */
function planPoints({ points, count }: Observations): PointsPlan {
  // All columns are written from doubles, since loops over arrays of several types are much slower.
  if (pointNumbers.length < count) {
    pointNumbers = new Float64Array(2 * count)
    pointDifferences = new Float64Array(2 * count)
  }
  pointNumbers.set(points.subarray(0, count))
  const column = planColumn(pointNumbers.subarray(0, count))
  if (column.width === 0) return { column, areDifferences: false, before: 0 }
  for (let i = 1; i < count; i++) pointDifferences[i] = points[i]! - points[i - 1]!
  // `before` is chosen so that the first difference equals the second one. So the first difference adds no width.
  pointDifferences[0] = pointDifferences[1]!
  const before = points[0]! - pointDifferences[0]
  const differences = planColumn(pointDifferences.subarray(0, count))
  if (differences.width >= column.width || before !== (before | 0)) return { column, areDifferences: false, before: 0 }
  return { column: differences, areDifferences: true, before }
}

/**
 * The fewest decimal places with which all values are exact, and the range of the values. Undefined if MAX_PLACES
 * decimal places are not enough, if the values are too large, or if there is a text.
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
  // The values before the last change of `power` were not checked with the new power. If the products are within the
  // limit, these values are exact with it too.
  if (places > 0 && Math.max(-min, max) * power > MAX_EXACT_PRODUCT) return undefined
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
  const rest: PartRest = {}
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
