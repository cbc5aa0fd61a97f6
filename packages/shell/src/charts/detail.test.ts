import { describe, expect, it } from 'vitest'
import { detailFor, shifted } from './detail.ts'

const HOUR = 3_600_000
const span = (hours: number) => ({ from: 0, to: hours * HOUR })

describe('the detail of a chart', () => {
  it('is the readings themselves from near, and hours from far away', () => {
    expect(detailFor(span(24), { quantityKind: 'Temperature' })).toEqual({ kind: 'raw' })
    expect(detailFor(span(7 * 24), { quantityKind: 'Temperature' })).toEqual({
      kind: 'buckets',
      interval: '1h',
      aggregation: 'avg',
    })
  })

  it('tells what a meter counted in each hour', () => {
    expect(detailFor(span(7 * 24), { quantityKind: 'ActiveEnergy' })).toMatchObject({ aggregation: 'delta' })
  })

  it('moves by parts of what is seen', () => {
    expect(shifted({ from: 10, to: 20 }, -0.5)).toEqual({ from: 5, to: 15 })
  })
})
