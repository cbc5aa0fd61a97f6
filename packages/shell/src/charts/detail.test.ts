import { describe, expect, it } from 'vitest'
import { detailsFor } from './detail.ts'

const HOUR = 3_600_000
const span = (hours: number) => ({ from: 0, to: hours * HOUR })
const temperature = { quantityKind: 'Temperature' }
const energy = { quantityKind: 'ActiveEnergy' }
const averages = { kind: 'buckets', interval: '1h', stepMs: HOUR, aggregation: 'avg' }

describe('the detail of a chart', () => {
  it('is raw readings for a short range, and averages over one or six hours for a long one', () => {
    expect(detailsFor(span(24), [temperature])).toEqual([{ kind: 'raw' }])
    expect(detailsFor(span(7 * 24), [temperature])).toEqual([averages])
    expect(detailsFor(span(90 * 24), [temperature])).toMatchObject([{ interval: '6h' }])
  })

  it('[TIM-06] is the consumption per interval for a meter, in any range', () => {
    const intervals = [2, 10, 24, 7 * 24, 30 * 24].map((hours) => detailsFor(span(hours), [energy]))
    expect(intervals).toMatchObject([
      [{ aggregation: 'delta', interval: '5m' }],
      [{ aggregation: 'delta', interval: '15m' }],
      [{ aggregation: 'delta', interval: '1h' }],
      [{ aggregation: 'delta', interval: '1h' }],
      [{ aggregation: 'delta', interval: '1d' }],
    ])
  })

  it('has the same intervals for a meter and for a point that is shown with it', () => {
    expect(detailsFor(span(24), [temperature, energy])).toEqual([averages, { ...averages, aggregation: 'delta' }])
  })
})
