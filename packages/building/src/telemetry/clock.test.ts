import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { berlinOffsetMinutes, dayClock } from './clock.ts'

const berlin = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Berlin',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

describe('local time', () => {
  it('agrees with the time zone database', () => {
    const instants = fc.integer({ min: Date.UTC(2000, 0, 1) / 60_000, max: Date.UTC(2037, 0, 1) / 60_000 })
    fc.assert(
      fc.property(instants, (minute) => {
        const ours = new Date(minute * 60_000 + berlinOffsetMinutes(minute * 60_000) * 60_000)
          .toISOString()
          .slice(11, 16)
        expect(ours).toBe(berlin.format(minute * 60_000))
      }),
      { numRuns: 300 },
    )
  })

  it('skips an hour in March and repeats one in October', () => {
    const march = dayClock(Date.UTC(2026, 2, 29))
    expect([march.hour[11], march.hour[12]].map((hour) => Math.floor(hour!))).toEqual([1, 3])
    const october = dayClock(Date.UTC(2026, 9, 25))
    expect([october.hour[11], october.hour[12]].map((hour) => Math.floor(hour!))).toEqual([2, 2])
  })

  it('counts a public holiday as a Sunday', () => {
    expect(dayClock(Date.UTC(2026, 4, 1)).weekday[100]).toBe(0)
    expect(dayClock(Date.UTC(2026, 4, 4)).weekday[100]).toBe(1)
  })
})
