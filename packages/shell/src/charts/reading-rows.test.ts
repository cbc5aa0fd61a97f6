import { expect, it } from 'vitest'
import type { Series } from './detail.ts'
import { rowsOf } from './reading-rows.ts'

const series = (times: number[], values: number[], extremes?: Series['extremes']): Series => ({
  detail: { kind: 'raw' },
  span: { from: 0, to: 10 },
  times,
  values,
  extremes,
  sampledFrom: undefined,
})

it('puts the readings of one time into one row, newest first', () => {
  const first = series([1, 2], [10, 20], { lows: [9, 19], highs: [11, 21] })
  expect(rowsOf([first, series([2, 3], [200, 300])])).toEqual([
    { at: 3, values: [null, 300], low: null, high: null },
    { at: 2, values: [20, 200], low: 19, high: 21 },
    { at: 1, values: [10, null], low: 9, high: 11 },
  ])
})
