import { describe, expect, it } from 'vitest'
import { pauseAfterFailure } from './pause.ts'

describe('the pause after a failure', () => {
  it('grows to a minute, and is never shorter than the usual one', () => {
    expect([1, 2, 3, 5, 9, 400].map((n) => pauseAfterFailure(2000, n))).toEqual([
      2000, 4000, 8000, 32_000, 60_000, 60_000,
    ])
    expect(pauseAfterFailure(300_000, 4)).toBe(300_000)
  })
})
