import { describe, expect, it } from 'vitest'
import { ageText } from './age.tsx'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const relative = (at: unknown, now = NOW) => format.format(Math.round((Number(at) - now) / 1000), 'second')

describe('the age of a value', () => {
  it('is "now" if the clock of the sensor is slightly ahead, and a relative time otherwise', () => {
    expect(ageText(NOW - 20_000, NOW, { relative })).toBe('20 seconds ago')
    expect(ageText(NOW + 4000, NOW, { relative })).toBe('now')
    expect(ageText(NOW + 3_600_000, NOW, { relative })).toBe('in 3,600 seconds')
  })
})
