import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCssColor } from './css-colors.ts'
import { CATEGORY_COLORS, compareCodePoints, legendOf } from './legend.ts'

const codePoints = (text: string) => [...text].map((c) => c.codePointAt(0)!)

describe('the legend of texts', () => {
  it('[LEG-04, LEG-06, LEG-07] counts the first ten categories separately and all others in one entry', () => {
    const texts = fc.array(fc.oneof(fc.constantFrom(...'abcdefghijklmn'), fc.string({ unit: 'binary', maxLength: 2 })))
    fc.assert(
      fc.property(texts, (values) => {
        const distinct = [...new Set(values)].sort((a, b) => {
          const [x, y] = [codePoints(a), codePoints(b)]
          const i = x.findIndex((point, at) => point !== y[at])
          return i < 0 ? x.length - y.length : x[i]! - (y[i] ?? -1)
        })
        const countOf = (some: string[]) => values.filter((value) => some.includes(value)).length
        const expected = distinct.slice(0, 10).map((value) => ({ value, label: value, count: countOf([value]) }))
        const { source, entries } = legendOf({ valueType: 'STRING', legend: null }, values)
        expect(source).toBe('derived')
        expect(entries.slice(0, 10).map(({ color: _, ...entry }) => entry)).toEqual(expected)
        expect(entries.slice(0, 10).map(({ color }) => color)).toEqual(CATEGORY_COLORS.slice(0, expected.length))
        const rest = distinct.slice(10)
        const bucket = { label: `прочее (${rest.length})`, color: '#bbbbbb', count: countOf(rest) }
        expect(entries.slice(10)).toEqual(rest.length === 0 ? [] : [bucket])
      }),
    )
  })

  it('orders texts by code points', () => {
    expect(['\u{1f600}', '\uffff', 'b', 'a', 'ab', 'Z', ''].sort(compareCodePoints)).toEqual([
      '',
      'Z',
      'a',
      'ab',
      'b',
      '\uffff',
      '\u{1f600}',
    ])
  })
})

describe('the ramp of numbers', () => {
  it('covers every number with adjacent ranges', () => {
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 })
    fc.assert(
      fc.property(numbers, (values) => {
        const { entries } = legendOf({ valueType: 'NUMBER', legend: null }, values)
        expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(values.length)
        for (const [i, { min, max }] of entries.entries()) {
          if (min === undefined) continue
          expect(min).toBeLessThanOrEqual(max!)
          if (i > 0) expect(min).toBe(entries[i - 1]!.max)
        }
      }),
    )
  })

  it('shows a single number exactly, and the bounds of ranges with so many digits that they look different', () => {
    const labels = (values: number[]) =>
      legendOf({ valueType: 'NUMBER', legend: null }, values).entries.map(({ label }) => label)
    expect(labels([1_234_567])).toEqual(['1234567'])
    expect(labels([0, 1 / 3])[0]).toBe('0 – 0.0666667')
    expect(labels([1_000_000.1, 1_000_000.6])[0]).toBe('1000000.1 – 1000000.2')
  })
})

describe('a colour', () => {
  it.each(['#0a8', '#0A8f', '#00aa88', '#00aa88ff', 'red', 'RebeccaPurple', 'transparent'])(
    'can be written as %s',
    (color) => {
      expect(isCssColor(color)).toBe(true)
    },
  )
  it.each(['', '#', '#12', '#12345', 'redd', 'url(x)', 'red;', 'rgb(0,0,0)', 'constructor', '#ggg', 'currentColor'])(
    'cannot be written as %j',
    (color) => {
      expect(isCssColor(color)).toBe(false)
    },
  )
})
