import { describe, expect, it } from 'vitest'
import { formatFor } from './format.ts'
import { defineTexts, translator } from './texts.ts'

const texts = defineTexts(
  {
    plain: 'Rooms',
    named: 'Delete {name}?',
    rooms: { one: '{n} room', other: '{n} rooms' },
  },
  {
    plain: 'Помещения',
    named: 'Удалить {name}?',
    rooms: { one: '{n} помещение', few: '{n} помещения', many: '{n} помещений', other: '{n} помещения' },
  },
)

describe('texts', () => {
  it('fill their placeholders and format numbers', () => {
    const t = translator(texts, 'en')
    expect(t('plain')).toBe('Rooms')
    expect(t('named', { name: 'a {n}' })).toBe('Delete a {n}?')
    expect(t('rooms', { n: 12_345 })).toBe('12,345 rooms')
  })

  it('choose the plural form by the number', () => {
    const en = translator(texts, 'en')
    const ru = translator(texts, 'ru')
    expect([1, 2].map((n) => en('rooms', { n }))).toEqual(['1 room', '2 rooms'])
    expect([1, 3, 11, 21, 25].map((n) => ru('rooms', { n }))).toEqual([
      '1 помещение',
      '3 помещения',
      '11 помещений',
      '21 помещение',
      '25 помещений',
    ])
  })
})

describe('relative times', () => {
  const now = Date.parse('2026-11-15T12:00:00Z')
  const format = formatFor('en')

  it('use the largest unit that fits', () => {
    const shown = (seconds: number) => format.relative(now + seconds * 1000, now)
    expect(shown(14 * 86_400 - 5)).toBe('in 14 days')
    expect(shown(-90)).toBe('1 minute ago')
    expect(shown(-2 * 3600)).toBe('2 hours ago')
    expect(shown(59.9 * 60)).toBe('in 1 hour')
    expect(shown(-59.7)).toBe('1 minute ago')
    expect(shown(-59.2)).toBe('59 seconds ago')
    expect(shown(-23.9 * 3600)).toBe('yesterday')
    expect(shown(0)).toBe('now')
  })
})
