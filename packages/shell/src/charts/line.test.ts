import { describe, expect, it } from 'vitest'
import type { Series } from './detail.ts'
import { lineOf } from './line.ts'

const series = (times: number[], values: number[], more: Partial<Series> = {}): Series => ({
  detail: { kind: 'raw' },
  span: { from: 0, to: 100_000 },
  times,
  values,
  sampledFrom: undefined,
  ...more,
})
const sensor = { pointType: 'SENSOR', quantityKind: 'Temperature' } as const
const light = { pointType: 'STATUS', quantityKind: 'Dimensionless' } as const

describe('the line of a chart', () => {
  it('has a gap where readings of a sensor are missing', () => {
    const line = lineOf(sensor, series([0, 1000, 2000, 20_000], [1, 2, 3, 4]))
    expect(line).toEqual({ xs: [0, 1, 2, 11, 20], ys: [1, 2, 3, null, 4], shape: 'line', isBinary: false })
  })

  it('has no gap where the usual interval between readings changes', () => {
    const minutes = (n: number) => n * 60_000
    const history = Array.from({ length: 24 }, (_, i) => minutes(5 * i))
    const live = Array.from({ length: 200 }, (_, i) => minutes(120) + i * 1000)
    const later = Array.from({ length: 6 }, (_, i) => minutes(125 + 5 * i))
    const times = [...history, ...live, ...later]
    const { xs, ys } = lineOf(sensor, series(times, times))
    expect(xs).toEqual(times.map((at) => at / 1000))
    expect(ys).not.toContain(null)
  })

  it('has gaps whatever the usual interval is, even around a single reading', () => {
    const times = [0, 300, 600, 900, 5000, 9000, 9300, 9600, 9900, 9901, 9902, 9903, 9904, 9950, 9951, 9952, 9953]
    const { xs, ys } = lineOf(sensor, series(times, times))
    expect(xs.filter((_, i) => ys[i] === null)).toEqual([2.95, 7, 9.927])
  })

  it('keeps the last value up to now for points that report changes only', () => {
    const line = lineOf(light, series([0, 20_000], [0, 1]), 60_000)
    expect(line).toEqual({ xs: [0, 20, 60], ys: [0, 1, 1], shape: 'steps', isBinary: true })
    expect(lineOf(light, series([0, 20_000], [0, 1]), 500_000).xs).toEqual([0, 20, 100])
    expect(lineOf(light, series([], [])).xs).toEqual([])
  })

  it('is not binary if it has values other than 0 and 1, or averages', () => {
    expect(lineOf(light, series([0], [2])).isBinary).toBe(false)
    const averages = series([0, 1000], [0, 1], {
      detail: { kind: 'buckets', interval: '1h', stepMs: 3_600_000, aggregation: 'avg' },
    })
    expect(lineOf(light, averages)).toMatchObject({ shape: 'line', isBinary: false })
  })

  it('has the gaps of its averages in the minimum and maximum too', () => {
    const hours = [0, 1, 2, 20].map((hour) => hour * 1000)
    const detail = { kind: 'buckets', interval: '1h', stepMs: 3_600_000, aggregation: 'avg' } as const
    const extremes = { lows: [0, 1, 2, 3], highs: [2, 3, 4, 5] }
    const line = lineOf(sensor, series(hours, [1, 2, 3, 4], { detail, extremes }))
    expect(line).toMatchObject({ ys: [1, 2, 3, null, 4], lows: [0, 1, 2, null, 3], highs: [2, 3, 4, null, 5] })
  })

  it('[TIM-06] shows consumption as bars, without gaps', () => {
    const detail = { kind: 'buckets', interval: '1h', stepMs: 3_600_000, aggregation: 'delta' } as const
    const line = lineOf(sensor, series([0, 1000, 2000, 20_000], [1, 2, 3, 4], { detail }))
    expect(line).toMatchObject({ xs: [0, 1, 2, 20], ys: [1, 2, 3, 4], shape: 'bars' })
  })
})
