import type { PointNode } from '@storey/sdk'
import type { Series } from './detail.ts'

/** The data of a chart line. */
export interface Line {
  /** In seconds. */
  xs: number[]
  /** Null is a gap. */
  ys: (number | null)[]
  /** Drawn as steps: a value holds until the next one. */
  isStepped: boolean
  /** The point can be on or off, and its readings are raw and all 0 or 1. */
  isBinary: boolean
}

/** The line has a gap where two readings are further apart than this many times the median interval. */
const GAP_FACTOR = 4

type Kind = Pick<PointNode, 'pointType' | 'quantityKind'>

/** Whether the values of a point can mean on and off. */
export const mayBeBinary = ({ quantityKind, pointType }: Kind): boolean =>
  quantityKind === 'Dimensionless' && pointType !== 'PARAMETER'

/** A sensor is read at intervals. Other points report only changes, so their value holds in between. */
export function lineOf(point: Kind, series: Series, now = Date.now()): Line {
  const isRaw = series.detail.kind === 'raw'
  const isStepped = isRaw && point.pointType !== 'SENSOR'
  const isBinary = isRaw && mayBeBinary(point) && series.values.every((value) => value === 0 || value === 1)
  return { ...(isStepped ? stepLine(series, now) : lineWithGaps(series)), isStepped, isBinary }
}

/** Extends the last value to now, or to the end of the range if that is earlier. */
function stepLine({ times, values, span }: Series, now: number): Pick<Line, 'xs' | 'ys'> {
  const xs = times.map((at) => at / 1000)
  const last = times.at(-1)
  const end = Math.min(span.to, now)
  if (last === undefined || last >= end) return { xs, ys: [...values] }
  return { xs: [...xs, end / 1000], ys: [...values, values.at(-1)!] }
}

/** Inserts a gap where readings are missing. */
function lineWithGaps({ times, values }: Series): Pick<Line, 'xs' | 'ys'> {
  const distances = times.slice(1).map((at, i) => at - times[i]!)
  const median = distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? 0
  const xs: number[] = []
  const ys: (number | null)[] = []
  for (const [i, at] of times.entries()) {
    if (i > 0 && median > 0 && at - times[i - 1]! > median * GAP_FACTOR) {
      xs.push((times[i - 1]! + at) / 2000)
      ys.push(null)
    }
    xs.push(at / 1000)
    ys.push(values[i]!)
  }
  return { xs, ys }
}
