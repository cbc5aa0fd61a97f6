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
