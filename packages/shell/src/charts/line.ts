import type { PointNode } from '@storey/sdk'
import type { Series } from './detail.ts'

/** How a series is drawn. */
export interface Line {
  /** In seconds. */
  xs: number[]
  /** Null breaks the line. */
  ys: (number | null)[]
  /** A value stays until the next one, and is not on its way there. */
  isHeld: boolean
  /** It is off or on, and nothing between. */
  isSwitch: boolean
}

/** Where a break is drawn: so many times the usual distance between readings. */
const BREAK = 4

type Kind = Pick<PointNode, 'pointType' | 'quantityKind'>

/** What says yes or no where others have numbers. */
export const mayBeSwitch = ({ quantityKind, pointType }: Kind): boolean =>
  quantityKind === 'Dimensionless' && pointType !== 'PARAMETER'

/** A sensor is read now and then; whatever else there is speaks when it changes. */
export function lineOf(point: Kind, series: Series, now = Date.now()): Line {
  const isRaw = series.detail.kind === 'raw'
  const isHeld = isRaw && point.pointType !== 'SENSOR'
  const isSwitch = isRaw && mayBeSwitch(point) && series.values.every((value) => value === 0 || value === 1)
  return { ...(isHeld ? held(series, now) : broken(series)), isHeld, isSwitch }
}

/** Up to this moment, or to the end of what is shown. */
function held({ times, values, span }: Series, now: number): Pick<Line, 'xs' | 'ys'> {
  const xs = times.map((at) => at / 1000)
  const last = times.at(-1)
  const end = Math.min(span.to, now)
  if (last === undefined || last >= end) return { xs, ys: [...values] }
  return { xs: [...xs, end / 1000], ys: [...values, values.at(-1)!] }
}

/** A gap in the readings is a gap in the line. */
function broken({ times, values }: Series): Pick<Line, 'xs' | 'ys'> {
  const distances = times.slice(1).map((at, i) => at - times[i]!)
  const usual = distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? 0
  const xs: number[] = []
  const ys: (number | null)[] = []
  for (const [i, at] of times.entries()) {
    if (i > 0 && usual > 0 && at - times[i - 1]! > usual * BREAK) {
      xs.push((times[i - 1]! + at) / 2000)
      ys.push(null)
    }
    xs.push(at / 1000)
    ys.push(values[i]!)
  }
  return { xs, ys }
}
