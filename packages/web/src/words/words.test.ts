import { describe, expect, it } from 'vitest'
import { formatFor } from './format.ts'
import { defineWords, translator } from './words.ts'

const words = defineWords(
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

describe('words', () => {
  it('fill their slots, figures as the language writes them', () => {
    const t = translator(words, 'en')
    expect(t('plain')).toBe('Rooms')
    expect(t('named', { name: 'a {n}' })).toBe('Delete a {n}?')
    expect(t('rooms', { n: 12_345 })).toBe('12,345 rooms')
  })

  it('agree with the number', () => {
    const en = translator(words, 'en')
    const ru = translator(words, 'ru')
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

describe('moments', () => {
  const now = Date.parse('2026-11-15T12:00:00Z')
  const format = formatFor('en')

  it('are told by their distance, in the unit that fits', () => {
    const told = (seconds: number) => format.relative(now + seconds * 1000, now)
    expect(told(14 * 86_400 - 5)).toBe('in 14 days')
    expect(told(-90)).toBe('1 minute ago')
    expect(told(-2 * 3600)).toBe('2 hours ago')
    expect(told(59.9 * 60)).toBe('in 1 hour')
    expect(told(-59.7)).toBe('1 minute ago')
    expect(told(-59.2)).toBe('59 seconds ago')
    expect(told(-23.9 * 3600)).toBe('yesterday')
    expect(told(0)).toBe('now')
  })
})
