import type { PointNode } from '@storey/sdk'
import type { Series } from './detail.ts'

/** The data of a chart line. */
export interface Line {
  /** Times, in seconds since the epoch. */
  xs: number[]
  /** The value at each time; null is a gap. */
  ys: (number | null)[]
  lows?: (number | null)[]
  highs?: (number | null)[]
  /** Steps: a value holds until the next one. Bars: a value is the amount of an interval. */
  shape: 'line' | 'steps' | 'bars'
  /** The point can be on or off, and its readings are raw and all 0 or 1. */
  isBinary: boolean
}

/** The line has a gap where two readings are further apart than this many times the usual interval around them. */
const GAP_FACTOR = 4
/** An interval is compared with the median of this many intervals before it, and of as many after it. */
const NEIGHBOURS = 3

type Kind = Pick<PointNode, 'pointType' | 'quantityKind'>
type Curves = Pick<Line, 'xs' | 'ys' | 'lows' | 'highs'>

/** Whether the values of a point can mean on and off. */
export const mayBeBinary = ({ quantityKind, pointType }: Kind): boolean =>
  quantityKind === 'Dimensionless' && pointType !== 'PARAMETER'

/** A sensor is read at intervals. Other points report only changes, so their value holds in between. */
export function lineOf(point: Kind, series: Series, now = Date.now()): Line {
  const { detail, times, values } = series
  if (detail.kind === 'buckets' && detail.aggregation === 'delta') {
    return { xs: times.map((at) => at / 1000), ys: [...values], shape: 'bars', isBinary: false }
  }
  const isRaw = detail.kind === 'raw'
  const isBinary = isRaw && mayBeBinary(point) && values.every((value) => value === 0 || value === 1)
  if (isRaw && point.pointType !== 'SENSOR') return { ...stepLine(series, now), shape: 'steps', isBinary }
  return { ...lineWithGaps(series), shape: 'line', isBinary }
}

/** Extends the last value to now, or to the end of the range if that is earlier. */
function stepLine({ times, values, span }: Series, now: number): Curves {
  const xs = times.map((at) => at / 1000)
  const last = times.at(-1)
  const end = Math.min(span.to, now)
  if (last === undefined || last >= end) return { xs, ys: [...values] }
  return { xs: [...xs, end / 1000], ys: [...values, values.at(-1)!] }
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.POSITIVE_INFINITY

/**
 * Whether readings are missing in each interval. The usual interval of a series can change, for example from five
 * minutes in the history to one second in live values, so an interval is compared with the intervals before it or after
 * it, whichever are longer.
 */
function findGaps(times: readonly number[]): boolean[] {
  const intervals = times.slice(1).map((at, i) => at - times[i]!)
  const overall = median(intervals)
  return intervals.map((interval, i) => {
    const sides = [intervals.slice(Math.max(0, i - NEIGHBOURS), i), intervals.slice(i + 1, i + 1 + NEIGHBOURS)]
    const usual = sides.filter(({ length }) => length === NEIGHBOURS).map(median)
    return interval > GAP_FACTOR * (usual.length > 0 ? Math.max(...usual) : overall)
  })
}

/** Inserts a gap where readings are missing. */
function lineWithGaps({ times, values, extremes }: Series): Curves {
  const gaps = findGaps(times)
  const xs: number[] = []
  const [ys, lows, highs]: (number | null)[][] = [[], [], []]
  const add = (at: number, value: number | null, low: number | null = null, high: number | null = null) => {
    xs.push(at / 1000)
    ys!.push(value)
    lows!.push(low)
    highs!.push(high)
  }
  for (const [i, at] of times.entries()) {
    if (gaps[i - 1]) add((times[i - 1]! + at) / 2, null)
    add(at, values[i]!, extremes?.lows[i], extremes?.highs[i])
  }
  return extremes ? { xs, ys: ys!, lows: lows!, highs: highs! } : { xs, ys: ys! }
}
