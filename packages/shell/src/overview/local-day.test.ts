import { describe, expect, it } from 'vitest'
import { localDayStart } from './local-day.ts'

const start = (now: string, zone: string, daysBefore?: number) =>
  new Date(localDayStart(Date.parse(now), zone, daysBefore)).toISOString()

describe('the start of a local day', () => {
  it('is midnight in the zone', () => {
    expect(start('2026-11-16T22:30:00Z', 'Europe/Berlin')).toBe('2026-11-15T23:00:00.000Z')
    expect(start('2026-11-16T23:30:00Z', 'Europe/Berlin')).toBe('2026-11-16T23:00:00.000Z')
    expect(start('2026-11-16T01:00:00.250Z', 'America/New_York')).toBe('2026-11-15T05:00:00.000Z')
    expect(start('2026-11-16T12:00:00Z', 'UTC', 7)).toBe('2026-11-09T00:00:00.000Z')
  })

  it('follows clock changes between the days', () => {
    expect(start('2026-10-25T12:00:00Z', 'Europe/Berlin')).toBe('2026-10-24T22:00:00.000Z')
    expect(start('2026-10-26T12:00:00Z', 'Europe/Berlin', 7)).toBe('2026-10-18T22:00:00.000Z')
  })
})
