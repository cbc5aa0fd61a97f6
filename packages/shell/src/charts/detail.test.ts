import { describe, expect, it } from 'vitest'
import { detailFor } from './detail.ts'

const HOUR = 3_600_000
const span = (hours: number) => ({ from: 0, to: hours * HOUR })

describe('the detail of a chart', () => {
  it('is raw readings for a short range and hourly averages for a long one', () => {
    expect(detailFor(span(24), { quantityKind: 'Temperature' })).toEqual({ kind: 'raw' })
    expect(detailFor(span(7 * 24), { quantityKind: 'Temperature' })).toEqual({
      kind: 'buckets',
      hours: 1,
      aggregation: 'avg',
    })
  })

  it('is the hourly increase for a meter and a long range', () => {
    expect(detailFor(span(7 * 24), { quantityKind: 'ActiveEnergy' })).toMatchObject({ aggregation: 'delta' })
  })
})
