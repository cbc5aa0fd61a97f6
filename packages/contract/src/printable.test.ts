import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printable, printableJson, printableLine } from './printable.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not occur
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/
const HOSTILE = 'a\u001b[2J\u0007\u007f\u009b31m\u0085\u2028\u202e\u2066z'
const ESCAPED = 'a\\u001b[2J\\u0007\\u007f\\u009b31m\\u0085\\u2028\\u202e\\u2066z'

describe('text for a terminal', () => {
  it('[HST-85] has escapes for control characters and for characters that change the direction of text', () => {
    expect(printable(`${HOSTILE}\t\n`)).toBe(`${ESCAPED}\t\n`)
    expect(printableLine(`${HOSTILE}\t\r\n`)).toBe(`${ESCAPED}\\u0009\\u000d\\u000a`)
  })

  it('keeps letters of all languages, emoji, and the zero-width characters between them', () => {
    const text = 'Büro 三 مكتب\u200f משרד 👩‍💻 – “x”'
    expect(printableLine(text)).toBe(text)
  })

  it('[HST-85] has no control characters if it is JSON, and is parsed to the same value', () => {
    const text = fc.string({
      unit: fc.oneof(fc.integer({ min: 0, max: 0x2070 }).map(String.fromCharCode), fc.string()),
    })
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text))), (value) => {
        for (const indent of [undefined, 2]) {
          const json = printableJson(value, indent)
          expect(json).not.toMatch(UNPRINTABLE)
          expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(value))
        }
      }),
    )
  })
})
