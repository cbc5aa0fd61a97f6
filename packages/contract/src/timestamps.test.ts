import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseInstant } from './timestamps.ts'

describe('parseInstant', () => {
  it.each([
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04Z', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02T03:04:05+01:00', '2026-01-02T02:04:05.000Z'],
    ['2026-01-02T03:04:05-0530', '2026-01-02T08:34:05.000Z'],
    ['2026-01-02T03:04:05+02', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05.1234567Z', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02T03:04:05 01:00', '2026-01-02T02:04:05.000Z'],
    ['20260102T030405Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T24:00:00Z', '2026-01-03T00:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0001-06-01T00:00:00Z', '0001-06-01T00:00:00.000Z'],
    ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000Z'],
  ])('[ERR-06] reads %s', (text, expected) => {
    expect(new Date(parseInstant(text)!).toISOString()).toBe(expected)
  })

  it.each([
    '2026-01-02T03:04:05',
    '2026-01-02',
    '2026-02-30T00:00:00Z',
    '2026-01-02T24:00:01Z',
    '2026-01-02T03:60:00Z',
    '2026-01-02T03:04:60Z',
    '2026-13-01T00:00:00Z',
    '2026-01-02T03:04:05+24:00',
    '1767323045',
    '',
    'now',
  ])('[ERR-06] refuses %s', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })

  it('parses what Date.toISOString writes', () => {
    const range = { min: new Date('1970-01-01T00:00:00Z'), max: new Date('2200-01-01T00:00:00Z'), noInvalidDate: true }
    fc.assert(
      fc.property(fc.date(range), (date) => {
        expect(parseInstant(date.toISOString())).toBe(date.getTime())
      }),
    )
  })
})
