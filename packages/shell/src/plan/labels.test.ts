import { describe, expect, it } from 'vitest'
import { linesFor } from './labels.ts'

const area = { x: 0, y: 0, width: 4, height: 3 }
const texts = { value: '21.5', name: 'Meeting room L00.03', code: 'L00-R03' }

describe('the label of a room', () => {
  it('is its name and value if both fit', () => {
    expect(linesFor(area, 60, texts).map(({ text }) => text)).toEqual(['Meeting room L00.03', '21.5'])
  })

  it('[SHL-24] has the name in two lines if the name does not fit in one', () => {
    expect(linesFor(area, 26, texts).map(({ text }) => text)).toEqual(['Meeting', 'room L00.03', '21.5'])
    expect(linesFor(area, 26, { ...texts, name: 'Kitchen' }).map(({ text }) => text)).toEqual(['Kitchen', '21.5'])
  })

  it('is its code and value if the name is too long', () => {
    expect(linesFor(area, 15, texts).map(({ text }) => text)).toEqual(['L00-R03', '21.5'])
  })

  it('is only its value in a small room', () => {
    expect(linesFor({ ...area, height: 1 }, 14, texts).map(({ text }) => text)).toEqual(['21.5'])
  })

  it('truncates a text that does not fit, unless only a few letters fit', () => {
    const long = { ...texts, value: 'Reserved until the inspection' }
    expect(linesFor({ ...area, height: 1 }, 20, long).map(({ text }) => text)).toEqual(['Reserved u…'])
    expect(linesFor({ ...area, width: 1, height: 1 }, 20, long)).toEqual([])
    // Capitals are wider than other letters.
    expect(linesFor({ ...area, height: 1 }, 20, { ...texts, value: 'Q'.repeat(20) })[0]?.text).toHaveLength(9)
    expect(linesFor({ ...area, height: 1 }, 20, { ...texts, value: '🏢'.repeat(20) })[0]?.text).toBe('🏢🏢🏢🏢🏢…')
  })

  it('never truncates a number', () => {
    for (const value of ['123,456,789,012', '-1.23456789e+300', '12 345 678 901 234']) {
      expect(linesFor({ ...area, height: 1 }, 15, { ...texts, value }).filter(({ isValue }) => isValue)).toEqual([])
    }
  })

  it('needs more space for Cyrillic letters', () => {
    const size = (name: string) => linesFor(area, 26, { ...texts, name })[0]!.size
    expect(size('Переговорная L0')).toBeLessThan(size('Meetingrooms L0'))
  })

  it('is empty if it would be too small to read', () => {
    expect(linesFor(area, 2, texts)).toEqual([])
  })

  it('never exceeds the room', () => {
    for (let scale = 2; scale < 100; scale += 3) {
      const lines = linesFor(area, scale, texts)
      for (const { text, size } of lines) expect(text.length * size * 0.56).toBeLessThanOrEqual(area.width * scale)
      expect(lines.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(area.height * scale)
    }
  })
})
