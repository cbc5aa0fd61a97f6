import { movableClock } from '@storey/kit/clock'
import type { TestDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVault } from '../seal.ts'
import { identityDatabase } from '../testing/serve.ts'
import { type Attempts, type Counted, createAttempts, secondsUntil } from './attempts.ts'

const MINUTE_MS = 60_000

describe('attempts', () => {
  const clock = movableClock()
  let test: TestDatabase
  let attempts: Attempts
  beforeAll(async () => {
    test = await identityDatabase()
    attempts = createAttempts({ database: test.database, vault: createVault('master'), clock })
  })
  afterAll(() => test.drop())

  const waitAfter = async (counted: Counted) => {
    const until = await attempts.take([counted])
    return until === undefined ? 0 : secondsUntil(until, clock)
  }

  it.each<[Counted['kind'], number, number]>([
    ['account from address', 5, 900],
    ['account from device', 5, 900],
    ['address', 80, 60],
    ['device code from address', 20, 60],
    ['client secret from address', 20, 60],
  ])('of one %s are %i, then one after each wait, which doubles up to %i seconds', async (kind, free, longest) => {
    const counted: Counted = { kind, subject: 'someone' }
    for (let i = 0; i < free; i++) expect(await waitAfter(counted)).toBe(0)
    for (let wait = 1; ; wait = Math.min(wait * 2, longest)) {
      // Trying on neither counts nor moves the end.
      for (let i = 0; i < 3; i++) expect(await waitAfter(counted)).toBe(wait)
      expect(await waitAfter({ kind, subject: `someone else ${wait}` })).toBe(0)
      clock.advance(wait * 1_000)
      expect(await waitAfter(counted)).toBe(0)
      if (wait === longest) break
    }
  })

  it('begin anew after a clock that stood ahead was put back', async () => {
    const counted: Counted = { kind: 'account from address', subject: 'somebody in the future' }
    const before = clock.now()
    clock.set(new Date(before.getTime() + 30 * 24 * 60 * MINUTE_MS))
    for (let i = 0; i < 5; i++) expect(await waitAfter(counted)).toBe(0)
    expect(await waitAfter(counted)).toBe(1)
    clock.set(before)
    for (let i = 0; i < 5; i++) expect(await waitAfter(counted)).toBe(0)
    expect(await waitAfter(counted)).toBe(1)
  })

  it('begin anew when the time of the first is over', async () => {
    const counted: Counted = { kind: 'address', subject: 'office' }
    for (let i = 0; i < 80; i++) expect(await waitAfter(counted)).toBe(0)
    expect(await waitAfter(counted)).toBe(1)
    clock.advance(15 * MINUTE_MS)
    for (let i = 0; i < 80; i++) expect(await waitAfter(counted)).toBe(0)
    expect(await waitAfter(counted)).toBe(1)
  })

  it.each([
    ['30 days', 30 * 24 * 60],
    ['an hour', 60],
  ])(
    'that were counted while the clock stood ahead by %s make nobody wait when it is right again',
    async (_, minutes) => {
      const counted: Counted = { kind: 'account from address', subject: `ahead by ${minutes}` }
      const right = clock.now()
      expect(await waitAfter(counted)).toBe(0)
      clock.set(new Date(right.getTime() + minutes * MINUTE_MS))
      for (let i = 0; i < 10; i++) await attempts.take([counted])
      clock.set(right)
      for (let i = 0; i < 5; i++) expect(await waitAfter(counted)).toBe(0)
      expect(await waitAfter(counted)).toBe(1)
    },
  )

  it('let no more through than their schedule does when all come at once', async () => {
    const counted: Counted = { kind: 'account from address', subject: 'crowd' }
    const waits = await Promise.all(Array.from({ length: 20 }, () => waitAfter(counted)))
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5)
  })

  it('that were refused for one reason do not count for another', async () => {
    const own: Counted = { kind: 'account from address', subject: 'refused' }
    const address: Counted = { kind: 'address', subject: 'refused' }
    for (let i = 0; i < 80; i++) await attempts.take([address])
    for (let i = 0; i < 20; i++) expect(await attempts.take([own, address])).toBeInstanceOf(Date)
    for (let i = 0; i < 5; i++) expect(await waitAfter(own)).toBe(0)
  })

  it('at one account never wait, and tell when they are many', async () => {
    const account: Counted = { kind: 'account', subject: 'famous' }
    for (let i = 0; i < 30; i++) expect(await attempts.takeMany(account)).toBe(false)
    for (let i = 0; i < 30; i++) expect(await attempts.takeMany(account)).toBe(true)
    expect(await attempts.take([account])).toBeUndefined()
    clock.advance(15 * MINUTE_MS)
    expect(await attempts.takeMany(account)).toBe(false)
  })

  it('that are taken back or forgotten were none, and old ones are swept', async () => {
    const counted: Counted = { kind: 'account from address', subject: 'right' }
    for (let i = 0; i < 20; i++) {
      expect(await waitAfter(counted)).toBe(0)
      await attempts.takeBack([counted])
    }
    for (let i = 0; i < 5; i++) expect(await waitAfter(counted)).toBe(0)
    await attempts.forget(counted)
    for (let i = 0; i < 5; i++) expect(await waitAfter(counted)).toBe(0)
    clock.advance(25 * 60 * MINUTE_MS)
    await attempts.sweep()
    const { rows } = await test.database.session((tx) => tx.client.query('select count(*) as n from identity_attempts'))
    expect(rows).toEqual([{ n: 0 }])
  })
})
