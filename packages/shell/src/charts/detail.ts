import type { PointNode } from '@storey/sdk'
import { isMeter } from './meters.ts'
import type { Span } from './span.ts'

/** How a range is read: raw readings, or one value per interval. */
export type Detail =
  | { kind: 'raw' }
  | { kind: 'buckets'; interval: string; stepMs: number; aggregation: 'avg' | 'delta' }

export interface Series {
  detail: Detail
  /** The requested range. */
  span: Span
  /** Milliseconds since the epoch. */
  times: number[]
  values: number[]
  /** The minimum and maximum of each interval. Raw readings and consumption have none. */
  extremes?: { lows: number[]; highs: number[] } | undefined
  /** The number of readings before sampling; undefined if they were not sampled. */
  sampledFrom: number | undefined
}

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000]
/** Ranges up to about a day show raw readings. A sensor that reports every five minutes has 288 readings per day. */
const MAX_RAW_MS = 26 * HOUR_MS

type Steps = readonly (readonly [maxSpanMs: number, interval: string, stepMs: number])[]
const AVERAGES: Steps = [
  [60 * DAY_MS, '1h', HOUR_MS],
  [Number.POSITIVE_INFINITY, '6h', 6 * HOUR_MS],
]
/** A chart of up to 8 days has at most 200 bars. A longer one has a bar for each day. */
const CONSUMPTION: Steps = [
  [3 * HOUR_MS, '5m', 5 * MINUTE_MS],
  [12 * HOUR_MS, '15m', 15 * MINUTE_MS],
  [8 * DAY_MS, '1h', HOUR_MS],
  [Number.POSITIVE_INFINITY, '1d', DAY_MS],
]

type Point = Pick<PointNode, 'quantityKind'>

/**
 * The detail of each point: consumption for a meter; for other points raw readings in a short range, and averages in a
 * long one. Beside a meter, other points have averages over the intervals of the meter.
 */
export function detailsFor({ from, to }: Span, points: readonly Point[]): Detail[] {
  const span = to - from
  const hasMeter = points.some(isMeter)
  if (!hasMeter && span <= MAX_RAW_MS) return points.map(() => ({ kind: 'raw' }))
  const [, interval, stepMs] = (hasMeter ? CONSUMPTION : AVERAGES).find(([max]) => span <= max)!
  return points.map((point) => ({ kind: 'buckets', interval, stepMs, aggregation: isMeter(point) ? 'delta' : 'avg' }))
}
