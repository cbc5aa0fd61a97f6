import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newSlug } from './slug.ts'

describe('newSlug', () => {
  it.each([
    ['Lindenhof Mall', 'lindenhof-mall'],
    ['Торговый центр «Весна»', 'torgovyy-tsentr-vesna'],
    ['Café  №5', 'cafe-5'],
    ['Mall 🎉 Berlin', 'mall-berlin'],
    ['--x--', 'x'],
    ['東京ビル', 'dongjingbiru'],
  ])('[SBX-06, SBX-07] converts %s to %s, followed by the suffix', (name, stem) => {
    expect(newSlug(name, 'abcde')).toBe(`${stem}-abcde`)
  })

  it('[SBX-06] returns a DNS label for any name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 64, unit: 'grapheme' }), (name) => {
        expect(newSlug(name)).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)
      }),
    )
  })
})
