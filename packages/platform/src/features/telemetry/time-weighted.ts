import { type BucketValue, mean } from './aggregate.ts'
import type { BucketOf } from './buckets.ts'
import type { Series } from './series.ts'

export interface WeighedSpan {
  from: number
  /** Where the last value ceases to hold: the end of the range, or now when that comes first. */
  until: number
  /** The value that held at `from`, where there is one. */
  before?: number | undefined
  /** Buckets at the most. */
  most: number
}

/** Values are made smaller by a power of two, which rounds nothing, so that large ones times a duration are numbers. */
const SCALE = 2 ** -64

/**
 * The mean over time of each bucket, where a value holds until the next. A bucket without an observation has a mean as
 * well, and is given with a count of 0: otherwise the mean of a day would not be the mean of its hours, and a setpoint
 * that is written once a month would be missing on all other days.
 */
export function timeWeighted({ times, values }: Series, bucketOf: BucketOf, span: WeighedSpan): BucketValue[] {
  const { from, until, most } = span
  const buckets: BucketValue[] = []
  let held = span.before
  let next = 0
  let at = held === undefined ? Number.POSITIVE_INFINITY : from
  while (buckets.length < most && (at < until || next < times.length)) {
    // Before the first value nothing holds, and what is dated ahead of now holds no time yet.
    if (at >= until) at = times[next]!
    const { start, end } = bucketOf(at)
    const first = next
    // Means are taken as distances from a value of the bucket: where nothing moves, nothing is rounded.
    const base = held ?? values[next]!
    let since = held === undefined ? Math.min(times[next]!, until) : Math.max(start, from)
    let sum = 0
    let weight = 0
    const hold = (instant: number) => {
      const duration = Math.min(instant, until) - since
      if (duration <= 0) return
      sum += (held! * SCALE - base * SCALE) * duration
      weight += duration
      since += duration
    }
    for (; next < times.length && times[next]! < end; next++) {
      hold(times[next]!)
      held = values[next]!
    }
    hold(end)
    const value = weight > 0 ? (base * SCALE + sum / weight) / SCALE : mean(values, first, next)
    buckets.push({ start, value, count: next - first })
    at = end
  }
  return buckets
}
