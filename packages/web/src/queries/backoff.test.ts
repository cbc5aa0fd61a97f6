import { describe, expect, it } from 'vitest'
import { backoffMs, consecutiveFailures } from './backoff.ts'

describe('the backoff after a failure', () => {
  it('grows to a minute and is never shorter than the poll interval', () => {
    expect([1, 2, 3, 5, 9, 400].map((n) => backoffMs(2000, n))).toEqual([2000, 4000, 8000, 32_000, 60_000, 60_000])
    expect(backoffMs(300_000, 4)).toBe(300_000)
  })
})

describe('consecutive failures', () => {
  it('restart from zero with each successful response', () => {
    const query = { state: { dataUpdateCount: 0, errorUpdateCount: 0 } }
    const after = (answers: number, errors: number) => {
      query.state = { dataUpdateCount: answers, errorUpdateCount: errors }
      return consecutiveFailures(query)
    }
    expect([after(0, 1), after(0, 2), after(1, 2), after(1, 2), after(1, 3), after(2, 3), after(2, 5)]).toEqual([
      1, 2, 0, 0, 1, 0, 2,
    ])
  })
})
