import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatCount } from './format-count.ts'

it('writes whole numbers as the English locale does', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(formatCount(count)).toBe(count.toLocaleString('en'))
    }),
  )
})
