import { createYield } from '@storey/kit/yield-to-event-loop'
import type { Bucket, BucketOf } from './buckets.ts'
import type { Range } from './read-windows.ts'

/** The consecutive buckets of a range. Their starts are the timestamps of a table (`series-table.ts`). */
export interface BucketGrid {
  starts: Float64Array
  /** Finds the bucket of an instant in the range; faster than a calculation with time zones. */
  bucketOf: BucketOf
  /** The index of the bucket with this start. */
  indexOf(start: number): number
}

/** Undefined if the range has more than `max` buckets. `check` throws when nobody waits for the result any more. */
export async function createBucketGrid(
  bucketOf: BucketOf,
  { from, to }: Range,
  max: number,
  check: () => void = () => undefined,
): Promise<BucketGrid | undefined> {
  const starts: number[] = []
  const yieldIfDue = createYield()
  let last: Bucket | undefined
  for (let instant = from; instant < to; instant = last.end) {
    if (starts.length >= max) return undefined
    last = bucketOf(instant)
    starts.push(last.start)
    if (starts.length % 256 !== 0) continue
    await yieldIfDue()
    check()
  }
  const end = last?.end ?? to
  const all = Float64Array.from(starts)
  // Instants mostly come in order, so the bucket of the previous instant and the bucket after it are tried first.
  let near = 0
  const isIn = (i: number, instant: number) => all[i]! <= instant && !(all[i + 1]! <= instant)
  const indexOf = (instant: number): number => {
    if (isIn(near, instant)) return near
    if (isIn(near + 1, instant)) return ++near
    near = search(instant)
    return near
  }
  const search = (instant: number): number => {
    let low = 0
    let high = all.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (all[middle]! <= instant) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  return {
    starts: all,
    indexOf,
    bucketOf: (instant) => {
      const i = indexOf(instant)
      return { start: all[i]!, end: all[i + 1] ?? end }
    },
  }
}
