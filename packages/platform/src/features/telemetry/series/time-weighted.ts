import type { BucketAggregator, BucketValue } from './aggregate.ts'
import type { BucketOf } from './buckets.ts'
import { Mean } from './mean.ts'

export interface WeighedSpan {
  from: number
  /** The time until which the last value holds: the end of the range or now, whichever is earlier. */
  until: number
  /** The value that held at `from`, if there is one. */
  before?: number | undefined
  /** The maximum number of buckets. */
  max: number
}

/** Scales values so that a large value times a duration does not overflow. Scaling by a power of two is exact. */
const SCALE = 2 ** -64

/**
 * The time-weighted mean of each bucket; a value holds until the next value. A bucket without an observation has a mean
 * as well, with a count of 0: otherwise the mean of a day would not be the mean of its hours, and a setpoint that is
 * written once a month would be missing on all other days.
 */
export function createTimeWeighted(bucketOf: BucketOf, { from, until, before, max }: WeighedSpan): BucketAggregator {
  const buckets: BucketValue[] = []
  let held = before
  let isOpen = false
  let [start, end, count] = [0, 0, 0]
  // A mean is computed from the differences to a value of its bucket, so that the mean of a constant value is exact.
  let base = 0
  let since = 0
  let sum = 0
  let weight = 0
  let plain = new Mean()

  /**
   * Opens the bucket of an instant. If no value holds yet, `instant` and `value` are the first observation of the
   * bucket.
   */
  function open(instant: number, value: number): void {
    ;({ start, end } = bucketOf(instant))
    count = 0
    base = held ?? value
    since = held === undefined ? Math.min(instant, until) : Math.max(start, from)
    sum = 0
    weight = 0
    plain = new Mean()
    isOpen = true
  }

  function hold(instant: number): void {
    const duration = Math.min(instant, until) - since
    if (duration <= 0) return
    sum += (held! * SCALE - base * SCALE) * duration
    weight += duration
    since += duration
  }

  function close(): void {
    hold(end)
    buckets.push({ start, value: weight > 0 ? (base * SCALE + sum / weight) / SCALE : plain.value(), count })
    isOpen = false
    // After `until` no value holds, and only observations open a bucket.
    if (end < until && buckets.length < max) open(end, held!)
  }

  if (held !== undefined && from < until) open(from, held)

  return {
    add({ times, values }) {
      for (let i = 0; i < times.length; i++) {
        while (isOpen && times[i]! >= end) close()
        if (buckets.length >= max) return
        if (!isOpen) open(times[i]!, values[i]!)
        hold(times[i]!)
        held = values[i]!
        count++
        // The plain mean is used only if the weight of the bucket stays 0.
        if (weight === 0) plain.add(values, i, i + 1)
      }
    },
    isDone: () => buckets.length >= max,
    end() {
      while (isOpen) close()
      return buckets
    },
  }
}
