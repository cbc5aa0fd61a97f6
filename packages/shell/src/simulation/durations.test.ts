import { expect, it } from 'vitest'
import { durationText } from './durations.ts'

it('a duration is shown in its two largest units', () => {
  const texts = [0, 400, 1_000, 61_000, 3_600_000, 7_500_000, 86_400_000 * 2 + 3_600_000 * 3 + 60_000]
  expect(texts.map((ms) => durationText(ms, 'en'))).toEqual([
    '0 sec',
    '0 sec',
    '1 sec',
    '1 min 1 sec',
    '1 hr',
    '2 hr 5 min',
    '2 days 3 hr',
  ])
})
