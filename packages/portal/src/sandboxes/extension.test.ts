import { describe, expect, it } from 'vitest'
import { mostDays, movedBy } from './extension.ts'

const now = Date.parse('2026-11-15T12:00:00Z')

describe('an extension', () => {
  it('may move the end to 30 days ahead, in whole days', () => {
    expect(mostDays('2026-11-29T12:00:00Z', now)).toBe(16)
    expect(mostDays('2026-11-29T12:00:01Z', now)).toBe(15)
    expect(mostDays('2026-12-15T12:00:00Z', now)).toBe(0)
    expect(mostDays('2027-12-15T12:00:00Z', now)).toBe(0)
  })

  it('adds to the end, and not to today', () => {
    expect(movedBy('2026-11-29T12:00:00Z', 3).toISOString()).toBe('2026-12-02T12:00:00.000Z')
  })
})
