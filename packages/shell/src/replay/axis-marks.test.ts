import { expect, it } from 'vitest'
import { axisMarks } from './axis-marks.ts'
import { windowFor } from './window.ts'

const NOW = Date.parse('2026-03-10T12:07:00Z')

it('labels the hours of a day, and the dates of a longer range, in the time zone of the building', () => {
  const labels = (range: 'day' | 'week' | 'month') =>
    axisMarks(windowFor(range, NOW), 'en', 'Europe/Berlin').map(({ label }) => label)
  expect(labels('day')).toEqual(['16:00', '20:00', '10 Mar', '04:00', '08:00'])
  expect(labels('week')).toEqual(['4 Mar', '5 Mar', '6 Mar', '7 Mar', '8 Mar', '9 Mar', '10 Mar'])
  expect(labels('month')).toHaveLength(6)
  const places = axisMarks(windowFor('day', NOW), 'en', 'Europe/Berlin').map(({ place }) => place)
  expect(places.every((place, i) => place >= 0 && place < 0.93 && place > (places[i - 1] ?? -1))).toBe(true)
})

it.each([
  ['Asia/Kolkata', '2026-03-09T18:30:00.000Z'],
  ['Asia/Kathmandu', '2026-03-09T18:15:00.000Z'],
])('labels midnight with the date in %s, whose offset from UTC is no whole number of hours', (timeZone, midnight) => {
  const window = windowFor('day', NOW)
  const mark = axisMarks(window, 'en', timeZone).find(({ label }) => label === '10 Mar')!
  expect(new Date(Math.round(window.from + mark.place * (window.to - window.from))).toISOString()).toBe(midnight)
})

it('shows the date of a day whose midnight the clocks skip, and shows the date once if midnight occurs twice', () => {
  const labels = (now: string, timeZone: string) =>
    axisMarks(windowFor('week', Date.parse(now)), 'en', timeZone).map(({ label }) => label)
  expect(labels('2026-09-08T12:07:00Z', 'America/Santiago')).toContain('6 Sept')
  const havana = labels('2026-11-03T12:07:00Z', 'America/Havana')
  expect(havana.filter((label) => label === '1 Nov')).toHaveLength(1)
})
