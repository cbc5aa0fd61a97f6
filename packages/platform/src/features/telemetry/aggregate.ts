import type { Aggregation } from '@storey/contract'
import type { BucketOf } from './buckets.ts'
import type { Series } from './series.ts'

export interface BucketValue {
  start: number
  value: number
  count: number
}

/** One value a bucket that holds anything, in order of time. */
export function aggregate({ times, values }: Series, aggregation: Aggregation, bucketOf: BucketOf): BucketValue[] {
  const buckets: BucketValue[] = []
  for (let from = 0; from < times.length; ) {
    const { start, end } = bucketOf(times[from]!)
    let to = from + 1
    while (to < times.length && times[to]! < end) to++
    buckets.push({ start, value: FUNCTIONS[aggregation](values, from, to), count: to - from })
    from = to
  }
  return buckets
}

type Fold = (values: Float64Array, from: number, to: number) => number

const FUNCTIONS: Record<Aggregation, Fold> = {
  avg: (values, from, to) => total(values, from, to) / (to - from),
  sum: (values, from, to) => total(values, from, to),
  count: (_values, from, to) => to - from,
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
}

/** Kahan's sum: a month of tenths adds up to what it should. */
function total(values: Float64Array, from: number, to: number): number {
  let sum = 0
  let lost = 0
  for (let i = from; i < to; i++) {
    const value = values[i]! - lost
    const next = sum + value
    lost = next - sum - value
    sum = next
  }
  return sum
}
