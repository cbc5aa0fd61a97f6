import { describe, expect, it } from 'vitest'
import { valueFormat } from './format-value.ts'

const { number, rounded, bound, reading, scale } = valueFormat('en')

describe('formatted numbers', () => {
  it('have digits according to their size if they have no unit', () => {
    const plain = [1234.5, 21.55, 3.456, 0, -0.5].map((value) => number(value))
    expect(plain).toEqual(['1,235', '21.6', '3.46', '0', '-0.5'])
  })

  it('do not round small values to zero', () => {
    expect([0.0042, -0.000123].map((value) => number(value))).toEqual(['0.0042', '-0.00012'])
  })

  it('have an exponent if they are very large or very small', () => {
    expect([1e308, -2.5e300, 1e-300].map((value) => number(value))).toEqual(['1e+308', '-2.5e+300', '1e-300'])
    expect(valueFormat('ru').number(2.5e300)).toBe('2,5e+300')
  })

  it('[TIM-01] have the decimals of their unit at any size', () => {
    const celsius = [21, 21.96, 121.25, -0.04, 0.001].map((value) => number(value, 'DEG_C'))
    expect(celsius).toEqual(['21.0', '22.0', '121.3', '0.0', '0.0'])
    expect([843.4, 1203.6].map((value) => number(value, 'PPM'))).toEqual(['843', '1,204'])
    expect(reading('152340.375', 'KiloW-HR')).toBe('152,340.38\u00a0kWh')
    expect(valueFormat('ru').reading('21', 'DEG_C')).toBe('21,0\u00a0°C')
    expect(valueFormat('ru').reading('2.5', 'KiloW')).toBe('2,50\u00a0кВт')
    expect(number(1e300, 'DEG_C')).toBe('1e+300')
  })

  it('[TIM-01] get more decimals if rounding would show them as equal to a bound, or beyond it', () => {
    expect([29.96, 30, 30.04, 30.2].map((value) => number(value, 'DEG_C', [30]))).toEqual([
      '29.96',
      '30.0',
      '30.04',
      '30.2',
    ])
    expect(number(2000.0001, 'PPM', [2000])).toBe('2,000.0001')
    expect(number(99.96, '', [100])).toBe('99.96')
  })

  it('are coloured by the rounded value that is shown', () => {
    expect([21.96, 21.94].map((value) => rounded(value, 'DEG_C'))).toEqual([22, 21.9])
    for (let i = -4000; i <= 4000; i++) {
      const value = i / 200
      expect(Number(number(value, 'DEG_C'))).toBe(rounded(value, 'DEG_C') + 0)
    }
    expect([17.95, -17.95, 1.005].map((value) => rounded(value, 'DEG_C'))).toEqual([18, -18, 1])
    expect(rounded(30.04, 'DEG_C', [30])).toBe(30.04)
    expect(rounded(Number.NaN, 'DEG_C')).toBeNaN()
    expect(rounded(0.0042)).toBe(0.0042)
  })

  it('have no trailing zeros as bounds', () => {
    expect([18, 20.5, 1000].map(bound)).toEqual(['18', '20.5', '1,000'])
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
