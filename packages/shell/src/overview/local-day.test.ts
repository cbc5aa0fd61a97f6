import { describe, expect, it } from 'vitest'
import { localDayStart, localWeekday, sameTimeBefore } from './local-day.ts'

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

  it('is the time of the clock change if the change skips midnight', () => {
    expect(start('2026-09-06T15:00:00Z', 'America/Santiago')).toBe('2026-09-06T04:00:00.000Z')
    expect(start('2026-09-07T15:00:00Z', 'America/Santiago', 1)).toBe('2026-09-06T04:00:00.000Z')
    expect(start('2026-03-29T15:00:00Z', 'Asia/Beirut')).toBe('2026-03-28T22:00:00.000Z')
  })
})

describe('the same time of day some days before', () => {
  const before = (instant: string, zone: string, daysBefore: number) =>
    new Date(sameTimeBefore(Date.parse(instant), zone, daysBefore)).toISOString()

  it('is a multiple of 24 hours earlier if the clocks have not changed', () => {
    expect(before('2026-11-16T12:00:00.250Z', 'Europe/Berlin', 7)).toBe('2026-11-09T12:00:00.250Z')
  })

  it('has the same local time if the clocks have changed since then', () => {
    expect(before('2026-10-25T11:00:00Z', 'Europe/Berlin', 7)).toBe('2026-10-18T10:00:00.000Z')
    expect(before('2026-03-29T10:00:00Z', 'Europe/Berlin', 7)).toBe('2026-03-22T11:00:00.000Z')
    expect(before('2026-10-26T00:30:00Z', 'Europe/Berlin', 1)).toBe('2026-10-24T23:30:00.000Z')
    expect(before('2026-03-29T22:30:00Z', 'Europe/Berlin', 1)).toBe('2026-03-28T23:30:00.000Z')
  })

  it('is the first of two times with the same local time, or the clock change if that skips the local time', () => {
    expect(before('2026-11-01T01:30:00Z', 'Europe/Berlin', 7)).toBe('2026-10-25T00:30:00.000Z')
    expect(before('2026-04-05T00:30:00Z', 'Europe/Berlin', 7)).toBe('2026-03-29T01:00:00.000Z')
  })
})

describe('the weekday some days ago', () => {
  it.each([
    ['Saturday', '2026-10-31T22:30:00Z', 'Europe/Berlin'],
    ['Saturday', '2026-10-30T23:30:00Z', 'Europe/Berlin'],
    ['Wednesday', '2026-03-31T22:30:00Z', 'Europe/Berlin'],
    ['Sunday', '2026-09-13T12:00:00Z', 'America/Santiago'],
  ])('is %s a week before %s in %s, although the clocks have changed since', (weekday, now, zone) => {
    expect(localWeekday(Date.parse(now), zone, 7, 'en-GB')).toBe(weekday)
  })

  it('is that of yesterday if the number of days is 1, even if today has 23 or 25 hours', () => {
    expect(localWeekday(Date.parse('2026-10-25T22:30:00Z'), 'Europe/Berlin', 1, 'en-GB')).toBe('Saturday')
    expect(localWeekday(Date.parse('2026-03-29T21:30:00Z'), 'Europe/Berlin', 1, 'de')).toBe('Samstag')
  })
})
