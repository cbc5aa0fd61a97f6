import { AGGREGATIONS } from '@storey/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aggregate } from '../testing.ts'
import { bucketsOf } from './buckets.ts'

const seriesOf = (rows: readonly (readonly [number, number])[]) => ({
  times: Float64Array.from(rows, ([at]) => at),
  values: Float64Array.from(rows, ([, value]) => value),
})
const minutes = bucketsOf('1m', 'UTC')
const rows = fc
  .uniqueArray(fc.tuple(fc.nat(600), fc.integer({ min: -5, max: 40 })), { selector: ([at]) => at, maxLength: 60 })
  .map((drawn) => drawn.toSorted(([a], [b]) => a - b).map(([at, value]) => [at * 1000, value] as const))

describe('aggregate', () => {
  const series = seriesOf([
    [0, 7],
    [10_000, 1],
    [20_000, 4],
    [60_000, 8],
    [61_000, -3],
    [62_000, 5],
    [63_000, 4],
    [180_000, 9],
  ])

  it.each([
    ['first', [7, 8, 9]],
    ['median', [4, 4.5, 9]],
    // The first value of the series adds nothing. After a drop, a value adds itself, or nothing if it is below zero.
    ['delta', [4, 16, 5]],
  ] as const)('[HIS-17, HIS-18] gives the %s of each bucket with observations', (aggregation, expected) => {
    const buckets = aggregate(series, aggregation, minutes)
    expect(buckets.map(({ value }) => value)).toEqual(expected)
    expect(buckets.map(({ start, count }) => [start, count])).toEqual([
      [0, 3],
      [60_000, 4],
      [180_000, 1],
    ])
  })

  it('[HIS-17] does not reorder the series', () => {
    const copy = Float64Array.from(series.values)
    aggregate(series, 'median', minutes)
    expect(series.values).toEqual(copy)
  })

  it('[HIS-17] returns a median with at most half of the values below it and at most half above it', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (values) => {
        const of = seriesOf(values.map((value, i) => [i, value]))
        const median = aggregate(of, 'median', minutes)[0]!.value
        const below = values.filter((value) => value < median).length
        const above = values.filter((value) => value > median).length
        expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2)
      }),
    )
  })

  it('[HIS-18] computes a delta from the previous value, and from zero after the value has dropped', () => {
    fc.assert(
      fc.property(rows, fc.option(fc.nat(40)), (drawn, before) => {
        // The expected values are summed step by step. The implementation does one subtraction between two drops.
        const expected = new Map<number, number>()
        let last = before ?? drawn[0]?.[1] ?? 0
        for (const [at, value] of drawn) {
          const minute = Math.floor(at / 60_000) * 60_000
          const step = value >= last ? value - last : Math.max(0, value)
          expected.set(minute, (expected.get(minute) ?? 0) + step)
          last = value
        }
        const buckets = aggregate(seriesOf(drawn), 'delta', minutes, { before: before ?? undefined })
        expect(buckets.map(({ start, value }) => [start, value])).toEqual([...expected])
        const whole = aggregate(seriesOf(drawn), 'delta', bucketsOf('1d', 'UTC'), { before: before ?? undefined })
        expect(buckets.reduce((sum, { value }) => sum + value, 0)).toBe(whole[0]?.value ?? 0)
      }),
    )
  })

  it('returns the same values however the observations are split into windows', () => {
    const aggregations = AGGREGATIONS.filter((name) => name !== 'timeWeightedAvg')
    fc.assert(
      fc.property(
        rows,
        fc.constantFrom(...aggregations),
        fc.integer({ min: 1, max: 9 }),
        (drawn, aggregation, size) => {
          const whole = aggregate(seriesOf(drawn), aggregation, minutes, { before: 7 })
          expect(aggregate(seriesOf(drawn), aggregation, minutes, { before: 7 }, size)).toEqual(whole)
        },
      ),
    )
  })

  it('stops at the maximum number of buckets', () => {
    expect(aggregate(series, 'avg', minutes, { max: 2 })).toEqual(aggregate(series, 'avg', minutes).slice(0, 2))
  })

  it('returns the average and the median of values whose sum overflows', () => {
    const large = seriesOf([1, 2, 3, 4].map((at) => [at, 2 ** 1023]))
    expect(aggregate(large, 'avg', minutes)[0]!.value).toBe(2 ** 1023)
    expect(aggregate(large, 'median', minutes)[0]!.value).toBe(2 ** 1023)
    expect(aggregate(large, 'sum', minutes)[0]!.value).toBe(Number.POSITIVE_INFINITY)
  })
})
