import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aggregateWith } from '../testing.ts'
import { bucketsOf } from './buckets.ts'
import { createTimeWeighted, type WeighedSpan } from './time-weighted.ts'

type Row = readonly [at: number, value: number]
const weigh = (
  rows: readonly Row[],
  span: Partial<WeighedSpan> & { until: number },
  interval = '1m',
  windowSize?: number,
) =>
  aggregateWith(
    createTimeWeighted(bucketsOf(interval, 'UTC'), { from: 0, max: 10_000, ...span }),
    { times: Float64Array.from(rows, ([at]) => at), values: Float64Array.from(rows, ([, value]) => value) },
    windowSize,
  )

/** For each minute, the mean of the values that hold at its seconds. */
function secondBySecond(rows: readonly Row[], from: number, until: number, before: number | undefined) {
  const byMinute = new Map<number, number[]>()
  for (let second = from; second < until; second += 1000) {
    const held = rows.findLast(([at]) => at <= second)?.[1] ?? before
    if (held === undefined) continue
    const minute = Math.floor(second / 60_000) * 60_000
    byMinute.set(minute, [...(byMinute.get(minute) ?? []), held])
  }
  return [...byMinute].map(([start, held]) => ({
    start,
    value: held.reduce((sum, value) => sum + value, 0) / held.length,
    count: rows.filter(([at]) => at >= start && at < start + 60_000).length,
  }))
}

const drawnRows = (last: number) =>
  fc
    .uniqueArray(fc.tuple(fc.nat(last), fc.integer({ min: -50, max: 50 })), { selector: ([at]) => at, maxLength: 12 })
    .map((drawn) => drawn.toSorted(([a], [b]) => a - b).map(([at, value]): Row => [at * 1000, value]))

describe('the mean over time', () => {
  it('[HIS-19] weights each value by how long it held', () => {
    const rows: Row[] = [
      [15_000, 10],
      [30_000, 20],
      [200_000, 40],
    ]
    expect(weigh(rows, { until: 220_000 })).toEqual([
      { start: 0, value: (10 * 15 + 20 * 30) / 45, count: 2 },
      { start: 60_000, value: 20, count: 0 },
      { start: 120_000, value: 20, count: 0 },
      { start: 180_000, value: 30, count: 1 },
    ])
    expect(weigh(rows, { until: 60_000, before: 6 })[0]!.value).toBe((6 * 15 + 10 * 15 + 20 * 30) / 60)
    expect(weigh([], { from: 30_000, until: 90_000, before: 6 })).toEqual([
      { start: 0, value: 6, count: 0 },
      { start: 60_000, value: 6, count: 0 },
    ])
  })

  it('[HIS-19] equals the mean of the values that hold at each second', () => {
    fc.assert(
      fc.property(
        drawnRows(600),
        fc.nat(300),
        fc.nat(300),
        fc.option(fc.integer({ min: -50, max: 50 })),
        (drawn, start, length, held) => {
          const [from, until] = [start * 1000, (start + length) * 1000]
          const rows = drawn.filter(([at]) => at >= from && at < until)
          const before = held ?? undefined
          const expected = secondBySecond(rows, from, until, before)
          const found = weigh(rows, { from, until, before })
          expect(found.map(({ start, count }) => [start, count])).toEqual(
            expected.map(({ start, count }) => [start, count]),
          )
          for (const [i, { value }] of found.entries()) expect(value).toBeCloseTo(expected[i]!.value, 9)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('[HIS-19] is the same however the observations are split into windows', () => {
    fc.assert(
      fc.property(drawnRows(600), fc.nat(600), fc.integer({ min: 1, max: 5 }), (rows, seconds, size) => {
        const span = { until: seconds * 1000, before: 3 }
        expect(weigh(rows, span, '1m', size)).toEqual(weigh(rows, span))
      }),
    )
  })

  it('[HIS-19] of an hour is the mean of the means of its minutes', () => {
    fc.assert(
      fc.property(drawnRows(3599), (rows) => {
        const minutes = weigh(rows, { until: 3_600_000, before: 3 })
        const [hour] = weigh(rows, { until: 3_600_000, before: 3 }, '1h')
        expect(minutes).toHaveLength(60)
        expect(minutes.reduce((sum, { value }) => sum + value, 0) / 60).toBeCloseTo(hour!.value, 9)
      }),
    )
  })

  it('[HIS-19] is the arithmetic mean in a bucket that begins after `until`', () => {
    const ahead: Row[] = [
      [70_000, 1],
      [80_000, 2],
      [300_000, 9],
    ]
    expect(weigh(ahead, { until: 50_000 })).toEqual([
      { start: 60_000, value: 1.5, count: 2 },
      { start: 300_000, value: 9, count: 1 },
    ])
    expect(weigh(ahead, { until: 75_000 })).toEqual([
      { start: 60_000, value: 1, count: 2 },
      { start: 300_000, value: 9, count: 1 },
    ])
  })

  it('[HIS-19] does not round a constant value, and does not overflow with large values', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: 1e-200 }), drawnRows(600), (value, drawn) => {
        const rows = drawn.map(([at]): Row => [at, value])
        for (const bucket of weigh(rows, { until: 700_000 })) expect(bucket.value).toBe(value)
      }),
    )
    const wide: Row[] = [
      [0, 2 ** 1023],
      [30_000, -(2 ** 1023)],
    ]
    expect(weigh(wide, { until: 60_000 })[0]!.value).toBe(0)
  })

  it('stops at the maximum number of buckets, however long a value holds', () => {
    const until = Date.UTC(2026, 0)
    expect(weigh([[0, 1]], { until, max: 3 }, '1s').map(({ start }) => start)).toEqual([0, 1000, 2000])
  })
})
