import { describe, expect, it } from 'vitest'
import { rangeBetween, shareOf, withRows } from './selection.ts'

const keys = ['a', 'b', 'c', 'd']

describe('a selection', () => {
  it('adds and removes rows, and keeps rows that a filter hides', () => {
    expect(withRows(new Set(['x']), ['a', 'b'], true)).toEqual(new Set(['x', 'a', 'b']))
    expect(withRows(new Set(['x', 'a', 'b']), ['a'], false)).toEqual(new Set(['x', 'b']))
  })

  it('reports whether it has all, some or none of the rows', () => {
    expect(shareOf(new Set(['x']), keys)).toBe('none')
    expect(shareOf(new Set(['a']), keys)).toBe('some')
    expect(shareOf(new Set([...keys, 'x']), keys)).toBe('all')
    expect(shareOf(new Set(), [])).toBe('none')
  })

  it('extends to a range in both directions', () => {
    expect(rangeBetween(keys, 'b', 'd')).toEqual(['b', 'c', 'd'])
    expect(rangeBetween(keys, 'c', 'a')).toEqual(['a', 'b', 'c'])
    expect(rangeBetween(keys, undefined, 'b')).toEqual(['b'])
    expect(rangeBetween(keys, 'gone', 'b')).toEqual(['b'])
  })
})
