import { describe, expect, it } from 'vitest'
import { failuresInARow, pauseAfterFailure } from './pause.ts'

describe('the pause after a failure', () => {
  it('grows to a minute, and is never shorter than the usual one', () => {
    expect([1, 2, 3, 5, 9, 400].map((n) => pauseAfterFailure(2000, n))).toEqual([
      2000, 4000, 8000, 32_000, 60_000, 60_000,
    ])
    expect(pauseAfterFailure(300_000, 4)).toBe(300_000)
  })
})

describe('failures in a row', () => {
  it('start again with each answer', () => {
    const query = { state: { dataUpdateCount: 0, errorUpdateCount: 0 } }
    const after = (answers: number, errors: number) => {
      query.state = { dataUpdateCount: answers, errorUpdateCount: errors }
      return failuresInARow(query)
    }
    expect([after(0, 1), after(0, 2), after(1, 2), after(1, 2), after(1, 3), after(2, 3), after(2, 5)]).toEqual([
      1, 2, 0, 0, 1, 0, 2,
    ])
  })
})
