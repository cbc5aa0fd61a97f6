import { describe, expect, it } from 'vitest'
import { planKeys } from './plan-keys.ts'

const DAY_MS = 86_400_000
const now = new Date('2026-06-01T00:00:00Z')
const key = (kid: string, daysAgo: number) => ({ kid, signsFrom: new Date(now.getTime() - daysAgo * DAY_MS) })
const plan = (...keys: ReturnType<typeof key>[]) => {
  const { newKeySignsFrom, drop, keep } = planKeys(keys, now)
  const newKeyInDays = newKeySignsFrom && (newKeySignsFrom.getTime() - now.getTime()) / DAY_MS
  return { newKeyInDays, drop: drop.map((k) => k.kid), keep: keep.map((k) => k.kid) }
}

describe('planKeys', () => {
  it.each([
    ['the first key signs immediately', [], { newKeyInDays: 0, drop: [], keep: [] }],
    [
      'a key younger than 90 days needs no successor',
      [key('a', 89)],
      { newKeyInDays: undefined, drop: [], keep: ['a'] },
    ],
    ['after 90 days the next key is published', [key('a', 90)], { newKeyInDays: 1, drop: [], keep: ['a'] }],
    [
      'the next key does not sign on its first day',
      [key('b', -1), key('a', 90)],
      { newKeyInDays: undefined, drop: [], keep: ['a', 'b'] },
    ],
    [
      'a day after its publication the next key signs, and the old key stays published',
      [key('a', 91), key('b', 0)],
      { newKeyInDays: undefined, drop: [], keep: ['b', 'a'] },
    ],
    [
      'the old key is dropped a day after the next key began to sign',
      [key('a', 92), key('b', 1)],
      { newKeyInDays: undefined, drop: ['a'], keep: ['b'] },
    ],
    [
      'a key with a signing time in the future signs now if there is no other key',
      [key('a', -5)],
      { newKeyInDays: undefined, drop: [], keep: ['a'] },
    ],
  ])('decides that %s', (_, keys, expected) => {
    expect(plan(...keys)).toEqual(expected)
  })
})
