import type { Aggregation } from '@storey/contract'
import { type BucketAggregator, type BucketValue, createAggregator } from './aggregate.ts'
import type { BucketOf } from './buckets.ts'
import { medianOfMany } from './median-of-many.ts'
import { readWithBefore } from './read-series.ts'
import { type Range, readWindows, type Source } from './read-windows.ts'
import type { Series } from './series.ts'
import { createTimeWeighted } from './time-weighted.ts'

export interface BucketContext {
  source: Source
  range: Range
  now: number
}

/** The values of at most `max` buckets. Only the time-weighted mean has values for buckets without observations. */
export async function readBuckets(
  { source, range, now }: BucketContext,
  aggregation: Aggregation,
  bucketOf: BucketOf,
  max: number,
): Promise<BucketValue[]> {
  if (aggregation === 'timeWeightedAvg') {
    const { windows, before } = await readWithBefore(source, range)
    const span = { from: range.from, until: Math.min(range.to, now), before, max }
    return aggregateAll(windows, createTimeWeighted(bucketOf, span))
  }
  if (aggregation === 'delta') {
    const { windows, before } = await readWithBefore(source, range)
    return aggregateAll(windows, createAggregator(aggregation, bucketOf, { before, max }))
  }
  return aggregateAll(readWindows(source, range), createAggregator(aggregation, bucketOf, { max }))
}

async function aggregateAll(windows: AsyncIterable<Series>, aggregator: BucketAggregator): Promise<BucketValue[]> {
  for await (const window of windows) {
    aggregator.add(window)
    if (aggregator.isDone()) break
  }
  return aggregator.end()
}

/**
 * Computes the medians of buckets that have too many values to sort in memory, by reading those buckets again. A bucket
 * whose values have all been deleted since the first read is left out.
 */
export async function withMedians({ source, range }: BucketContext, buckets: BucketValue[]): Promise<BucketValue[]> {
  for (const bucket of buckets) {
    const { medianUntil } = bucket
    if (medianUntil === undefined) continue
    const within = { from: Math.max(range.from, bucket.start), to: Math.min(range.to, medianUntil) }
    bucket.value = await medianOfMany(() => readWindows(source, within))
  }
  return buckets.filter(({ value }) => !Number.isNaN(value))
}
