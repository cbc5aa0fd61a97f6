import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText, decodeText } from './step-text.ts'

const decode = (text: string): string => decodeText(Buffer.from(text, 'utf8'))

describe('strings of a STEP file', () => {
  it.each([
    ['plain', 'plain'],
    ["it''s", "it's"],
    ['a\\\\b', 'a\\b'],
    ['\\X2\\041F043E043C043504490435043D04380435\\X0\\ 1', 'Помещение 1'],
    ['\\X2\\D83DDE00\\X0\\', '😀'],
    ['\\X4\\0001F600\\X0\\', '😀'],
    ['caf\\X\\E9', 'café'],
    ['B\\S\\|ro', 'Büro'],
    ['\\PE\\\\S\\P\\S\\Q', 'аб'],
    ['Küche Ü', 'Küche Ü'],
    ['C:\\models\\new', 'C:\\models\\new'],
    ['\\X2\\zz\\X0\\', '\\X2\\zz\\X0\\'],
  ])('are decoded: %s', (encoded, text) => {
    expect(decode(encoded)).toBe(text)
  })

  it.each([
    ["\\S\\' 5", '§ 5'],
    ["\\S\\'' 5", '§ 5'],
    ["\\PB\\\\S\\'", '§'],
  ])(
    '[IMP-28] are decoded with `\\S\\’` as a section sign, whether or not its apostrophe is doubled: %s',
    (encoded, text) => {
      expect(decode(encoded)).toBe(text)
    },
  )

  it('are read as Latin-1 if they are not UTF-8', () => {
    expect(decodeText(Buffer.from('K\u00fcche', 'latin1'))).toBe('Küche')
  })

  it('are cleaned to one line of at most 200 characters', () => {
    expect(cleanText(' a\u0000b\nc\ud83d ')).toBe('a b c')
    expect(cleanText(' \u0007 ')).toBeNull()
    expect(cleanText('x'.repeat(500))).toHaveLength(200)
    expect(cleanText(`${'x'.repeat(199)}😀`)).toBe('x'.repeat(199))
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const clean = cleanText(decode(text)) ?? ''
        expect(clean.isWellFormed()).toBe(true)
        expect(clean).not.toMatch(/\p{Cc}/u)
        expect(clean.length).toBeLessThanOrEqual(200)
      }),
    )
  })
})
