import { describe, expect, it } from 'vitest'
import { guessDecimalMark, readNumber } from './read-cell.ts'

describe('readNumber', () => {
  it.each([
    ['21.5', '.', 21.5],
    ['21,5', ',', 21.5],
    ['1 234,5', ',', 1234.5],
    ['1\u00a0234', '.', 1234],
    ['1,234.5', '.', 1234.5],
    ['1.234,5', ',', 1234.5],
    ['−3', '.', -3],
    ['2e3', '.', 2000],
  ] as const)('reads %j with the decimal mark %j', (text, mark, value) => {
    expect(readNumber(text, mark)).toBe(value)
  })

  it.each(['', 'n/a', '21,5', '1,23,4', '5 m²', '12:30', '1.2.3'])('does not read %j', (text) => {
    expect(readNumber(text, '.')).toBeNaN()
  })
})

it('guesses the decimal mark of a column', () => {
  expect(guessDecimalMark(['1', '21,5'])).toBe(',')
  expect(guessDecimalMark(['1,234.5', '7'])).toBe('.')
  expect(guessDecimalMark(['1,234', '21,5'])).toBe(',')
  expect(guessDecimalMark(['20.5', 'n/a'])).toBe('.')
})
