import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucketsOf, isTimezone } from './buckets.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const bucket = (interval: string, zone: string, at: string) => {
  const { start, end } = bucketsOf(interval, zone)(Date.parse(at))
  return [iso(start), iso(end)]
}

describe('buckets', () => {
  it.each([
    ['5m', 'UTC', '2026-03-29T01:07:31.250Z', '2026-03-29T01:05:00.000Z', '2026-03-29T01:10:00.000Z'],
    ['90s', 'UTC', '1970-01-01T00:02:00Z', '1970-01-01T00:01:30.000Z', '1970-01-01T00:03:00.000Z'],
    ['1h', 'Asia/Kolkata', '2026-03-29T01:07:31Z', '2026-03-29T01:00:00.000Z', '2026-03-29T02:00:00.000Z'],
    ['1d', 'UTC', '2026-03-29T23:59:59.999Z', '2026-03-29T00:00:00.000Z', '2026-03-30T00:00:00.000Z'],
    // A day of 23 hours in spring, one of 25 in autumn.
    ['1d', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
    ['1d', 'Europe/Berlin', '2026-10-25T12:00:00Z', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    // Midnight does not exist on this day in Beirut: the clocks go from 0:00 to 1:00.
    ['1d', 'Asia/Beirut', '2026-03-29T12:00:00Z', '2026-03-28T22:00:00.000Z', '2026-03-29T21:00:00.000Z'],
    // The next day, 30 December 2011, does not exist in Samoa.
    ['1d', 'Pacific/Apia', '2011-12-29T12:00:00Z', '2011-12-29T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
    ['1w', 'UTC', '2026-11-15T12:00:00Z', '2026-11-09T00:00:00.000Z', '2026-11-16T00:00:00.000Z'],
    ['1w', 'America/New_York', '2026-11-02T04:30:00Z', '2026-10-26T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    ['1mo', 'UTC', '2024-02-29T12:00:00Z', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['1mo', 'Europe/Berlin', '2026-03-31T22:30:00Z', '2026-03-31T22:00:00.000Z', '2026-04-30T22:00:00.000Z'],
    ['3mo', 'UTC', '2026-05-05T00:00:00Z', '2026-04-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z'],
    ['12mo', 'UTC', '1999-05-05T00:00:00Z', '1999-01-01T00:00:00.000Z', '2000-01-01T00:00:00.000Z'],
  ])('[HIS-12, HIS-13] of %s in %s around %s begin and end at the expected times', (interval, zone, at, start, end) => {
    expect(bucket(interval, zone, at)).toEqual([start, end])
  })

  it('cover time without gaps: each instant is in its bucket, and a bucket begins where the previous one ends', () => {
    const intervals = fc.constantFrom('7s', '5m', '3h', '1d', '2d', '1w', '1mo', '5mo')
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Beirut', 'Australia/Lord_Howe')
    const instants = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2035, 0) })
    fc.assert(
      fc.property(intervals, zones, instants, (interval, zone, instant) => {
        const bucketOf = bucketsOf(interval, zone)
        const { start, end } = bucketOf(instant)
        expect(start).toBeLessThanOrEqual(instant)
        expect(end).toBeGreaterThan(instant)
        expect(bucketOf(start)).toEqual({ start, end })
        expect(bucketOf(end).start).toBe(end)
        expect(bucketOf(end - 1).start).toBe(start)
      }),
      { numRuns: 300 },
    )
  })

  it('accept names of time zones, and no other text', () => {
    expect(['UTC', 'Europe/Berlin', 'Asia/Kolkata'].every(isTimezone)).toBe(true)
    expect(['', 'Mars/Base', 'Berlin', '+02:00', 'x'.repeat(1000)].some(isTimezone)).toBe(false)
  })
})
