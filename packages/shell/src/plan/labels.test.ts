import { describe, expect, it } from 'vitest'
import { linesFor } from './labels.ts'

const place = { x: 0, y: 0, width: 4, height: 3 }
const texts = { value: '21.5', name: 'Meeting room L00.03', code: 'L00-R03' }

describe('the words in a room', () => {
  it('are its name and its value where both fit', () => {
    expect(linesFor(place, 60, texts).map(({ text }) => text)).toEqual(['Meeting room L00.03', '21.5'])
  })

  it('are its code and its value where the name is too long', () => {
    expect(linesFor(place, 15, texts).map(({ text }) => text)).toEqual(['L00-R03', '21.5'])
  })

  it('are its value alone in a small room', () => {
    expect(linesFor({ ...place, height: 1 }, 14, texts).map(({ text }) => text)).toEqual(['21.5'])
  })

  it('are the beginning of a text that does not fit, as far as a few letters do', () => {
    const long = { ...texts, value: 'Reserved until the inspection' }
    expect(linesFor({ ...place, height: 1 }, 20, long).map(({ text }) => text)).toEqual(['Reserved u…'])
    expect(linesFor({ ...place, width: 1, height: 1 }, 20, long)).toEqual([])
    // Capitals are wider than other letters: fewer of them fit.
    expect(linesFor({ ...place, height: 1 }, 20, { ...texts, value: 'Q'.repeat(20) })[0]?.text).toHaveLength(9)
    expect(linesFor({ ...place, height: 1 }, 20, { ...texts, value: '🏢'.repeat(20) })[0]?.text).toBe('🏢🏢🏢🏢🏢…')
  })

  it('are no part of a number, which would be another', () => {
    for (const value of ['123,456,789,012', '-1.23456789e+300', '12 345 678 901 234']) {
      expect(linesFor({ ...place, height: 1 }, 15, { ...texts, value }).filter(({ isValue }) => isValue)).toEqual([])
    }
  })

  it('are none where none could be read', () => {
    expect(linesFor(place, 2, texts)).toEqual([])
  })

  it('never leave the room', () => {
    for (let scale = 2; scale < 100; scale += 3) {
      const lines = linesFor(place, scale, texts)
      for (const { text, size } of lines) expect(text.length * size * 0.56).toBeLessThanOrEqual(place.width * scale)
      expect(lines.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(place.height * scale)
    }
  })
})
