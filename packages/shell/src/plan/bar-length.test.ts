import { describe, expect, it } from 'vitest'
import { barLength } from './bar-length.ts'

describe('the scale bar', () => {
  it('[SHL-24] is as long as the longest round number of metres that fits', () => {
    expect([160, 30, 20, 12, 5, 1, 0.3].map(barLength)).toEqual([0.5, 2, 5, 10, 20, 100, 200])
  })
})
