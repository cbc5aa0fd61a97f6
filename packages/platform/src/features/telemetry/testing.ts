import {
  type BucketFold,
  type BucketValue,
  createAggregate,
  type Folded,
  type FoldOptions,
} from './series/aggregate.ts'
import type { BucketOf } from './series/buckets.ts'
import { rowsOf, type Series } from './series/series.ts'

/** Splits a series into windows, as reads do. */
export function* inWindows(series: Series, size: number): Generator<Series> {
  for (let from = 0; from < series.times.length; from += size)
    yield rowsOf(series, from, Math.min(series.times.length, from + size))
}

export function folded(fold: BucketFold, series: Series, windowSize = Number.MAX_SAFE_INTEGER): BucketValue[] {
  for (const window of inWindows(series, windowSize)) fold.add(window)
  return fold.end()
}

export const aggregate = (
  series: Series,
  aggregation: Folded,
  bucketOf: BucketOf,
  options?: FoldOptions,
  windowSize?: number,
): BucketValue[] => folded(createAggregate(aggregation, bucketOf, options), series, windowSize)
