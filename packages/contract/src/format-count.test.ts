import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countOf, formatCount } from './format-count.ts'

it('writes whole numbers as the English locale does', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(formatCount(count)).toBe(count.toLocaleString('en'))
    }),
  )
})

it('writes a number with its noun', () => {
  expect([0, 1, 2].map((count) => countOf(count, 'storey'))).toEqual(['0 storeys', '1 storey', '2 storeys'])
  expect(countOf(2, 'sandbox', 'sandboxes')).toBe('2 sandboxes')
})
