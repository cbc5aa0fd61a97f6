import { expect, it } from 'vitest'
import { durationText, perText } from './duration-text.ts'

it('names an interval in its largest whole unit', () => {
  expect([5, 60, 120, 1440].map((minutes) => durationText(minutes * 60_000, 'en'))).toEqual([
    '5 minutes',
    '1 hour',
    '2 hours',
    '1 day',
  ])
  expect([5, 60, 1440].map((minutes) => perText(minutes * 60_000, 'en'))).toEqual(['5 minutes', 'hour', 'day'])
  expect([5, 60, 1440].map((minutes) => perText(minutes * 60_000, 'ru'))).toEqual(['5 минут', 'час', 'день'])
})
