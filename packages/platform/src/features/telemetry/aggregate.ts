import type { Aggregation } from '@storey/contract'
import type { BucketOf } from './buckets.ts'
import type { Series } from './series.ts'

export interface BucketValue {
  start: number
  value: number
  count: number
}

/** Everything but the mean over time, which also has buckets that hold nothing. */
export type Folded = Exclude<Aggregation, 'timeWeightedAvg'>

export interface FoldOptions {
  /** The last value before the series, where there is one. */
  before?: number | undefined
  /** Buckets at the most. */
  most?: number
}

/** One value a bucket that holds anything, in order of time. */
export function aggregate(
  { times, values }: Series,
  aggregation: Folded,
  bucketOf: BucketOf,
  { before, most = Number.POSITIVE_INFINITY }: FoldOptions = {},
): BucketValue[] {
  const fold = FUNCTIONS[aggregation]
  const buckets: BucketValue[] = []
  for (let from = 0; from < times.length && buckets.length < most; ) {
    const { start, end } = bucketOf(times[from]!)
    let to = from + 1
    while (to < times.length && times[to]! < end) to++
    const base = from === 0 ? (before ?? values[0]!) : values[from - 1]!
    buckets.push({ start, value: fold(values, from, to, base), count: to - from })
    from = to
  }
  return buckets
}

/** Of the values from `from` up to, not including, `to`, where `base` is the one before them. */
type Fold = (values: Float64Array, from: number, to: number, base: number) => number

const FUNCTIONS: Record<Folded, Fold> = {
  avg: mean,
  sum: (values, from, to) => total(values, from, to),
  count: (_values, from, to) => to - from,
  first: (values, from) => values[from]!,
  last: (values, _from, to) => values[to - 1]!,
  min: (values, from, to) => {
    let least = values[from]!
    for (let i = from + 1; i < to; i++) if (values[i]! < least) least = values[i]!
    return least
  },
  max: (values, from, to) => {
    let most = values[from]!
    for (let i = from + 1; i < to; i++) if (values[i]! > most) most = values[i]!
    return most
  },
  median: (values, from, to) => {
    const sorted = values.slice(from, to).sort()
    const middle = sorted.length >>> 1
    return sorted.length % 2 === 1 ? sorted[middle]! : mean(sorted, middle - 1, middle + 1)
  },
  delta: increase,
}

export function mean(values: Float64Array, from: number, to: number): number {
  const sum = total(values, from, to)
  if (Number.isFinite(sum)) return sum / (to - from)
  // The sum of large values may be no number, where their mean is one.
  let shares = 0
  for (let i = from; i < to; i++) shares += values[i]! / (to - from)
  return shares
}

/**
 * What a meter counted. A run without a drop is one subtraction, so that the rounding of each step does not add up. A
 * meter that begins again begins at zero; below zero it has counted nothing.
 */
function increase(values: Float64Array, from: number, to: number, base: number): number {
  let counted = 0
  let start = base
  let before = base
  for (let i = from; i < to; i++) {
    const value = values[i]!
    if (value < before) {
      counted += before - start
      start = Math.min(0, value)
    }
    before = value
  }
  return counted + (before - start)
}

/** Kahan's sum: a month of tenths adds up to what it should. */
function total(values: Float64Array, from: number, to: number): number {
  let sum = 0
  let lost = 0
  for (let i = from; i < to; i++) {
    const value = values[i]! - lost
    const next = sum + value
    if (!Number.isFinite(next)) return next
    lost = next - sum - value
    sum = next
  }
  return sum
}
