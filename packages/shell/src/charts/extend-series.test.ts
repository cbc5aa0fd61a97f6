import { describe, expect, it } from 'vitest'
import type { Series } from './detail.ts'
import { endAt, extendSeries } from './extend-series.ts'

const series: Series = {
  detail: { kind: 'raw' },
  span: { from: 100, to: 200 },
  times: [100, 150, 190],
  values: [1, 2, 3],
  sampledFrom: undefined,
}

describe('a series that ends now', () => {
  it('adds new readings and moves with the time', () => {
    const next = extendSeries(series, [{ at: 210, value: 4 }], 220)
    expect(next).toMatchObject({ span: { from: 120, to: 220 }, times: [150, 190, 210], values: [2, 3, 4] })
  })

  it('keeps the value that holds at its start, if each value holds until the next reading', () => {
    expect(extendSeries(series, [], 260, true)).toMatchObject({ times: [160, 190], values: [2, 3] })
    expect(extendSeries(series, [], 260)).toMatchObject({ times: [190], values: [3] })
    const constant = { ...series, times: [100], values: [7] }
    expect(extendSeries(constant, [], 260, true)).toMatchObject({ times: [160], values: [7] })
  })

  it('adds late readings and replaces existing ones', () => {
    const fresh = [
      { at: 190, value: 9 },
      { at: 170, value: 5 },
    ]
    expect(extendSeries(series, fresh, 200)).toMatchObject({ times: [100, 150, 170, 190], values: [1, 2, 5, 9] })
  })

  it('does not add readings to averages', () => {
    const averages: Series = {
      ...series,
      detail: { kind: 'buckets', interval: '1h', stepMs: 3_600_000, aggregation: 'avg' },
    }
    expect(extendSeries(averages, [{ at: 210, value: 4 }], 220)).toMatchObject({
      span: { from: 120, to: 220 },
      times: [100, 150, 190],
    })
  })

  it('counts new readings in sampledFrom', () => {
    expect(extendSeries({ ...series, sampledFrom: 50 }, [{ at: 195, value: 4 }], 200).sampledFrom).toBe(51)
  })

  it('includes a reading slightly in the future, but not one of tomorrow', () => {
    expect(endAt(1000, [{ at: 3000, value: 1 }])).toBe(3000)
    expect(endAt(1000, [{ at: 86_400_000, value: 1 }])).toBe(1000)
  })
})
