import {
  type AggregatorOptions,
  type BucketAggregator,
  type BucketValue,
  createAggregator,
  type ObservedAggregation,
} from './series/aggregate.ts'
import type { BucketOf } from './series/buckets.ts'
import { rowsOf, type Series } from './series/series.ts'

/** Splits a series into windows, as reads do. */
export function* inWindows(series: Series, size: number): Generator<Series> {
  for (let from = 0; from < series.times.length; from += size)
    yield rowsOf(series, from, Math.min(series.times.length, from + size))
}

export function aggregateWith(
  aggregator: BucketAggregator,
  series: Series,
  windowSize = Number.MAX_SAFE_INTEGER,
): BucketValue[] {
  for (const window of inWindows(series, windowSize)) aggregator.add(window)
  return aggregator.end()
}

export const aggregate = (
  series: Series,
  aggregation: ObservedAggregation,
  bucketOf: BucketOf,
  options?: AggregatorOptions,
  windowSize?: number,
): BucketValue[] => aggregateWith(createAggregator(aggregation, bucketOf, options), series, windowSize)
