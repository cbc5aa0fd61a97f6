import type { Aggregation } from '@storey/contract'
import type { BucketOf } from './buckets.ts'
import { Mean, Sum } from './mean.ts'
import type { Series } from './series.ts'

export interface BucketValue {
  start: number
  value: number
  count: number
  /** The end of a bucket with too many values to sort in memory: its median is computed later. */
  medianUntil?: number
}

/** Computes a value for each bucket, from observations that are added a window at a time. */
export interface BucketAggregator {
  add(window: Series): void
  /** True when there are as many buckets as requested: further observations have no effect. */
  isDone(): boolean
  end(): BucketValue[]
}

/** Aggregations that skip buckets without observations. Only the time-weighted mean has values for such buckets. */
export type ObservedAggregation = Exclude<Aggregation, 'timeWeightedAvg'>

export interface AggregatorOptions {
  /** The last value before the series, if there is one. */
  before?: number | undefined
  /** The maximum number of buckets. */
  max?: number
}

interface OpenBucket {
  start: number
  end: number
  count: number
  values: Accumulator
}

/** One value for each bucket with observations, in order of time. */
export function createAggregator(
  aggregation: ObservedAggregation,
  bucketOf: BucketOf,
  { before, max = Number.POSITIVE_INFINITY }: AggregatorOptions = {},
): BucketAggregator {
  const accumulate = ACCUMULATORS[aggregation]
  const buckets: BucketValue[] = []
  let last = before
  let open: OpenBucket | undefined

  function close(): void {
    if (open === undefined) return
    const { start, end, count, values } = open
    const value = values.value()
    buckets.push(value === undefined ? { start, value: Number.NaN, count, medianUntil: end } : { start, value, count })
    open = undefined
  }

  return {
    add({ times, values }) {
      for (let from = 0; from < times.length && buckets.length < max; ) {
        if (open === undefined || times[from]! >= open.end) {
          close()
          if (buckets.length >= max) return
          open = { ...bucketOf(times[from]!), count: 0, values: accumulate(last ?? values[from]!) }
        }
        let to = from + 1
        while (to < times.length && times[to]! < open.end) to++
        open.values.add(values, from, to)
        open.count += to - from
        last = values[to - 1]!
        from = to
      }
    },
    isDone: () => buckets.length >= max,
    end() {
      close()
      return buckets
    },
  }
}

interface Accumulator {
  /** Values from `from` up to, not including, `to`: at least one. */
  add(values: Float64Array, from: number, to: number): void
  /** Undefined if there are too many values to sort in memory (`MAX_SORTED`). */
  value(): number | undefined
}

/**
 * Each function creates the accumulator of a bucket. `base` is the last value before the bucket; if there is none, it
 * is the first value in the bucket.
 */
const ACCUMULATORS: Record<ObservedAggregation, (base: number) => Accumulator> = {
  avg: () => new Mean(),
  sum: () => new Sum(),
  count: () => ofEach(0, (counted, _values, from, to) => counted + to - from),
  first: () => ofEach(Number.NaN, (first, values, from) => (Number.isNaN(first) ? values[from]! : first)),
  last: () => ofEach(Number.NaN, (_last, values, _from, to) => values[to - 1]!),
  min: () =>
    ofEach(Number.POSITIVE_INFINITY, (known, values, from, to) => {
      let least = known
      for (let i = from; i < to; i++) if (values[i]! < least) least = values[i]!
      return least
    }),
  max: () =>
    ofEach(Number.NEGATIVE_INFINITY, (known, values, from, to) => {
      let max = known
      for (let i = from; i < to; i++) if (values[i]! > max) max = values[i]!
      return max
    }),
  median: () => new Median(),
  delta: (base) => new Increase(base),
}

function ofEach(
  start: number,
  next: (known: number, values: Float64Array, from: number, to: number) => number,
): Accumulator {
  let known = start
  return {
    add(values, from, to) {
      known = next(known, values, from, to)
    },
    value: () => known,
  }
}

/** The maximum number of values that are sorted in memory. They take about 4 MB. */
export const MAX_SORTED = 500_000

class Median implements Accumulator {
  #parts: Float64Array[] = []
  #count = 0

  add(values: Float64Array, from: number, to: number): void {
    this.#count += to - from
    if (this.#count > MAX_SORTED) this.#parts = []
    else this.#parts.push(values.subarray(from, to))
  }

  value(): number | undefined {
    if (this.#count > MAX_SORTED) return undefined
    const sorted = new Float64Array(this.#count)
    let at = 0
    for (const part of this.#parts) {
      sorted.set(part, at)
      at += part.length
    }
    sorted.sort()
    const middle = sorted.length >>> 1
    return sorted.length % 2 === 1 ? sorted[middle]! : middleOf(sorted[middle - 1]!, sorted[middle]!)
  }
}

export function middleOf(lower: number, upper: number): number {
  const mean = new Mean()
  mean.add(Float64Array.of(lower, upper), 0, 2)
  return mean.value()
}

/**
 * The consumption of a meter. The increase between two drops of the reading is computed by one subtraction, so that
 * rounding errors do not add up. A meter that restarts begins at zero, or at its first value if that is negative.
 */
class Increase implements Accumulator {
  #counted = 0
  #start: number
  #before: number

  constructor(base: number) {
    this.#start = base
    this.#before = base
  }

  add(values: Float64Array, from: number, to: number): void {
    let [counted, start, before] = [this.#counted, this.#start, this.#before]
    for (let i = from; i < to; i++) {
      const value = values[i]!
      if (value < before) {
        counted += before - start
        start = Math.min(0, value)
      }
      before = value
    }
    this.#counted = counted
    this.#start = start
    this.#before = before
  }

  value(): number {
    return this.#counted + (this.#before - this.#start)
  }
}
