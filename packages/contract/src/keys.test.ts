import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BASE62, crc32, isKeyText, keyText } from './keys.ts'

const secret = fc.string({ unit: fc.constantFrom(...BASE62), minLength: 40, maxLength: 40 })

describe('the text of a key', () => {
  it('uses a CRC-32 that gives the published check value', () => {
    expect(crc32('123456789')).toBe(0xcbf43926)
  })

  it('starts with svc_, and 46 base62 characters follow', () => {
    fc.assert(
      fc.property(secret, (s) => {
        expect(keyText(s)).toMatch(/^svc_[0-9A-Za-z]{46}$/)
      }),
    )
  })

  it('is recognized, but not after one of its characters is changed', () => {
    fc.assert(
      fc.property(secret, fc.nat(45), fc.constantFrom(...BASE62), (s, at, character) => {
        const key = keyText(s)
        expect(isKeyText(key)).toBe(true)
        const typo = key.slice(0, 4 + at) + character + key.slice(5 + at)
        expect(isKeyText(typo)).toBe(typo === key)
      }),
    )
  })

  it.each(['', 'svc_', 'svc_short', `svc_${'0'.repeat(47)}`, `SVC_${'0'.repeat(46)}`])('cannot be %j', (text) => {
    expect(isKeyText(text)).toBe(false)
  })
})
