import { describe, expect, it } from 'vitest'
import { createBucketGrid } from './bucket-grid.ts'
import { bucketsOf } from './buckets.ts'

const range = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) })

describe('the grid of buckets', () => {
  it('[HIS-28] has all buckets of the range, and is undefined if there are more than permitted', async () => {
    const hours = range('2026-03-01T00:30:00Z', '2026-03-01T05:00:00Z')
    const grid = await createBucketGrid(bucketsOf('1h', 'UTC'), hours, 5)
    expect([...grid!.starts].map((start) => new Date(start).getUTCHours())).toEqual([0, 1, 2, 3, 4])
    expect(await createBucketGrid(bucketsOf('1h', 'UTC'), hours, 4)).toBeUndefined()
  })

  it.each([
    ['1d', 'Europe/Berlin', '2026-03-28T00:00:00Z', '2026-03-31T00:00:00Z'],
    ['1w', 'America/New_York', '2026-10-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    ['1mo', 'Pacific/Apia', '2011-11-15T00:00:00Z', '2012-03-01T00:00:00Z'],
    ['1d', 'America/New_York', '0001-01-01T00:00:00Z', '0001-01-09T00:00:00Z'],
    ['12mo', 'Asia/Tokyo', '0001-01-01T00:00:00Z', '0120-01-01T00:00:00Z'],
  ])('finds the same buckets as a calculation with time zones: %s in %s', async (interval, timezone, from, to) => {
    const bucketOf = bucketsOf(interval, timezone)
    const span = range(from, to)
    const grid = (await createBucketGrid(bucketOf, span, 10_000))!
    const instants = Array.from({ length: 97 }, (_, i) => span.from + (i * (span.to - span.from)) / 97)
    for (const instant of [...instants, ...instants.toReversed()]) {
      expect(grid.bucketOf(instant)).toEqual(bucketOf(instant))
      expect(grid.starts[grid.indexOf(grid.bucketOf(instant).start)]).toBe(bucketOf(instant).start)
    }
    expect(grid.starts[0]).toBeLessThanOrEqual(span.from)
  })
})
