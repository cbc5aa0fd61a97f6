import { describe, expect, it } from 'vitest'
import { planKeys } from './plan-keys.ts'

const DAY_MS = 86_400_000
const now = new Date('2026-06-01T00:00:00Z')
const key = (kid: string, daysAgo: number) => ({ kid, signsFrom: new Date(now.getTime() - daysAgo * DAY_MS) })
const plan = (...keys: ReturnType<typeof key>[]) => {
  const { make, drop, keep } = planKeys(keys, now)
  const makeInDays = make && (make.getTime() - now.getTime()) / DAY_MS
  return { makeInDays, drop: drop.map((k) => k.kid), keep: keep.map((k) => k.kid) }
}

describe('planKeys', () => {
  it.each([
    ['the first key signs at once', [], { makeInDays: 0, drop: [], keep: [] }],
    ['a young key is enough', [key('a', 89)], { makeInDays: undefined, drop: [], keep: ['a'] }],
    ['after 90 days the next is announced', [key('a', 90)], { makeInDays: 1, drop: [], keep: ['a'] }],
    [
      'the announced one does not sign yet',
      [key('b', -1), key('a', 90)],
      { makeInDays: undefined, drop: [], keep: ['a', 'b'] },
    ],
    [
      'then it signs, and the old one stays',
      [key('a', 91), key('b', 0)],
      { makeInDays: undefined, drop: [], keep: ['b', 'a'] },
    ],
    ['for a day', [key('a', 92), key('b', 1)], { makeInDays: undefined, drop: ['a'], keep: ['b'] }],
    ['a clock that stood back still has a key', [key('a', -5)], { makeInDays: undefined, drop: [], keep: ['a'] }],
  ])('%s', (_, keys, expected) => {
    expect(plan(...keys)).toEqual(expected)
  })
})
