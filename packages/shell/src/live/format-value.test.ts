import { describe, expect, it } from 'vitest'
import { valueFormat } from './format-value.ts'

const { number, scale } = valueFormat('en')

describe('formatted numbers', () => {
  it('have digits according to their size', () => {
    expect([1234.5, 21.55, 3.456, 0, -0.5].map(number)).toEqual(['1,235', '21.6', '3.46', '0', '-0.5'])
  })

  it('do not round small values to zero', () => {
    expect([0.0042, -0.000123].map(number)).toEqual(['0.0042', '-0.00012'])
  })

  it('have an exponent if they are very large or very small', () => {
    expect([1e308, -2.5e300, 1e-300].map(number)).toEqual(['1e+308', '-2.5e+300', '1e-300'])
    expect(valueFormat('ru').number(2.5e300)).toBe('2,5e+300')
  })

  it('are different on an axis, however close they are', () => {
    expect(scale([14.3, 14.325, 14.35], 0.025)).toEqual(['14.300', '14.325', '14.350'])
    expect(scale([0, 500, 1000], 500)).toEqual(['0', '500', '1,000'])
    expect(scale([14.2, 14.4], 0.2)).toEqual(['14.2', '14.4'])
    for (const [first, step] of [
      [1e15, 1],
      [5e307, 5e306],
      [3e-300, 1e-301],
      [400.1, 0.0001],
    ] as const) {
      const shown = scale([first, first + step, first + 2 * step, first + 3 * step], step)
      expect(new Set(shown).size, shown.join(' ')).toBe(4)
    }
  })
})
