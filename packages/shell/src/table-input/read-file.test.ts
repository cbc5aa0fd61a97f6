import { describe, expect, it } from 'vitest'
import { decodeText } from './read-file.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)

describe('decodeText', () => {
  it('reads UTF-8 and UTF-16', () => {
    expect(decodeText(new TextEncoder().encode('Этаж 1'))).toEqual({ text: 'Этаж 1' })
    expect(decodeText(bytes(0xff, 0xfe, 0x41, 0, 0x31, 0x04))).toEqual({ text: 'Aб' })
  })

  it('reads what Excel writes on Windows: Cyrillic in windows-1251, other texts in windows-1252', () => {
    expect(decodeText(bytes(0xdd, 0xf2, 0xe0, 0xe6, 0x2c, 0x31))).toEqual({ text: 'Этаж,1' })
    expect(decodeText(bytes(0x42, 0xfc, 0x72, 0x6f))).toEqual({ text: 'Büro' })
  })

  it('recognizes workbooks, which are not texts', () => {
    expect(decodeText(bytes(0x50, 0x4b, 3, 4))).toEqual({ problem: 'workbook' })
    expect(decodeText(bytes(0xd0, 0xcf, 0x11, 0xe0))).toEqual({ problem: 'workbook' })
  })
})
