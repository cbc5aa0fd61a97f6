import { describe, expect, it } from 'vitest'
import { addDays, maxDays } from './extension.ts'

const now = Date.parse('2026-11-15T12:00:00Z')

describe('an extension', () => {
  it('moves the expiry to at most 30 days from now, in whole days', () => {
    expect(maxDays('2026-11-29T12:00:00Z', now)).toBe(16)
    expect(maxDays('2026-11-29T12:00:01Z', now)).toBe(15)
    expect(maxDays('2026-12-15T12:00:00Z', now)).toBe(0)
    expect(maxDays('2027-12-15T12:00:00Z', now)).toBe(0)
  })

  it('adds days to the expiry, not to today', () => {
    expect(addDays('2026-11-29T12:00:00Z', 3).toISOString()).toBe('2026-12-02T12:00:00.000Z')
  })
})
