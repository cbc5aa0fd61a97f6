import { describe, expect, it } from 'vitest'
import type { Series } from './detail.ts'
import { edgeAt, grown } from './grown.ts'

const series: Series = {
  detail: { kind: 'raw' },
  span: { from: 100, to: 200 },
  times: [100, 150, 190],
  values: [1, 2, 3],
  sampledFrom: undefined,
}

describe('a chart that ends now', () => {
  it('takes in what comes, and goes on with the time', () => {
    const next = grown(series, [{ at: 210, value: 4 }], 220)
    expect(next).toMatchObject({ span: { from: 120, to: 220 }, times: [150, 190, 210], values: [2, 3, 4] })
  })

  it('takes in what comes late, and what replaces another', () => {
    const fresh = [
      { at: 190, value: 9 },
      { at: 170, value: 5 },
    ]
    expect(grown(series, fresh, 200)).toMatchObject({ times: [100, 150, 170, 190], values: [1, 2, 5, 9] })
  })

  it('leaves averages to the platform', () => {
    const averages: Series = { ...series, detail: { kind: 'buckets', hours: 1, aggregation: 'avg' } }
    expect(grown(averages, [{ at: 210, value: 4 }], 220)).toMatchObject({
      span: { from: 120, to: 220 },
      times: [100, 150, 190],
    })
  })

  it('counts what a choice was made of', () => {
    expect(grown({ ...series, sampledFrom: 50 }, [{ at: 195, value: 4 }], 200).sampledFrom).toBe(51)
  })

  it('ends with a reading of a clock a little ahead, and not with one of tomorrow', () => {
    expect(edgeAt(1000, [{ at: 3000, value: 1 }])).toBe(3000)
    expect(edgeAt(1000, [{ at: 86_400_000, value: 1 }])).toBe(1000)
  })
})
