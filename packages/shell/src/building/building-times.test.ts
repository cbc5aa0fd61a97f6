import { describe, expect, it } from 'vitest'
import { buildingTimes } from './building-times.ts'

const WINTER = '2026-01-15T13:05:09.000Z'
const SUMMER = '2026-07-15T13:05:09.000Z'

describe('building times', () => {
  it('use the time zone of the building, and name it if the local time differs', () => {
    const times = buildingTimes('en', 'Europe/Berlin', 'America/New_York')
    expect(times.dateTime(WINTER)).toBe('15 Jan 2026, 14:05 CET')
    expect(times.dateTime(SUMMER)).toMatch(/^15 Jul(y)? 2026, 15:05 CEST$/)
    expect(times.second(WINTER)).toBe('15 Jan 2026, 14:05:09')
  })

  it('name no zone if the local time is the same', () => {
    const times = buildingTimes('en', 'Europe/Berlin', 'Europe/Paris')
    expect(times.dateTime(Date.parse(WINTER))).toBe('15 Jan 2026, 14:05')
  })

  it('name the zone only in the part of the year when the times differ', () => {
    const times = buildingTimes('en', 'Africa/Lagos', 'Europe/Berlin')
    expect(times.dateTime(WINTER)).toBe('15 Jan 2026, 14:05')
    expect(times.dateTime(SUMMER)).toContain('14:05 GMT+1')
  })

  it('name the zone if the clocks change between the times of a list', () => {
    const times = buildingTimes('en', 'Europe/Berlin', 'Europe/Berlin')
    const hours = ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z']
    expect(hours.map(times.formatter(hours, 'second'))).toEqual([
      '25 Oct 2026, 02:00:00 CEST',
      '25 Oct 2026, 02:00:00 CET',
    ])
    expect(hours.map(times.formatter(hours, 'minute'))[1]).toBe('25 Oct 2026, 02:00 CET')
    expect(times.formatter([WINTER], 'second')(WINTER)).toBe('15 Jan 2026, 14:05:09')
  })

  it('are formatted in Russian', () => {
    expect(buildingTimes('ru', 'Europe/Moscow', 'UTC').dateTime(WINTER)).toMatch(/15 янв.* 2026.*16:05 GMT\+3/)
  })
})
