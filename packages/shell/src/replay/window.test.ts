import { describe, expect, it } from 'vitest'
import { frameAt, isReplayRange, timeOf, windowFor } from './window.ts'

const at = (text: string) => Date.parse(text)
const NOW = at('2026-03-10T12:07:00Z')

describe('the window of a replay', () => {
  it('[TIM-02] begins and ends at full steps, and its last step contains now', () => {
    const { from, to, count } = windowFor('day', NOW)
    expect([new Date(from).toISOString(), new Date(to).toISOString(), count]).toEqual([
      '2026-03-09T12:10:00.000Z',
      '2026-03-10T12:10:00.000Z',
      288,
    ])
  })

  it('moves back to contain an earlier instant, and never moves past the current range', () => {
    const earlier = at('2026-03-01T12:00:00Z')
    const day = windowFor('day', NOW, earlier)
    expect([day.from <= earlier, earlier < day.to, timeOf(day, frameAt(day, earlier))]).toEqual([true, true, earlier])
    expect(windowFor('day', NOW, at('2026-03-10T09:00:00Z'))).toEqual(windowFor('day', NOW))
    expect(windowFor('week', NOW, at('2026-03-03T11:00:00Z')).to).toBeLessThanOrEqual(windowFor('week', NOW).to)
    expect(windowFor('day', NOW, at('2030-01-01T00:00:00Z'))).toEqual(windowFor('day', NOW))
  })

  it('shows its first or its last frame for an instant outside its range', () => {
    const day = windowFor('day', NOW)
    expect([frameAt(day, 0), frameAt(day, NOW * 2), frameAt(day, NOW)]).toEqual([0, 287, 287])
  })

  it('has the range day, week or month, and no other', () => {
    expect(['day', 'week', 'month', 'year', 'toString', null].map(isReplayRange)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
