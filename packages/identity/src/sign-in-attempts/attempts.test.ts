import { movableClock } from '@storey/kit/clock'
import type { TestDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identityDatabase } from '../testing/serve.ts'
import { createVault } from '../vault.ts'
import { type Attempts, type CounterKey, createAttempts, secondsUntil } from './attempts.ts'

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

  const waitAfter = async (counter: CounterKey) => {
    const until = await attempts.record([counter])
    return until === undefined ? 0 : secondsUntil(until, clock)
  }

  it.each<[CounterKey['kind'], number, number]>([
    ['account from address', 5, 900],
    ['account from device', 5, 900],
    ['address', 80, 60],
    ['device code from address', 20, 60],
    ['client secret from address', 20, 60],
  ])('counted by %s: the first %i do not wait, later ones wait 1 to %i seconds', async (kind, free, longest) => {
    const counter: CounterKey = { kind, subject: 'someone' }
    for (let i = 0; i < free; i++) expect(await waitAfter(counter)).toBe(0)
    for (let wait = 1; ; wait = Math.min(wait * 2, longest)) {
      // Attempts during a wait are not counted and do not prolong it.
      for (let i = 0; i < 3; i++) expect(await waitAfter(counter)).toBe(wait)
      expect(await waitAfter({ kind, subject: `someone else ${wait}` })).toBe(0)
      clock.advance(wait * 1_000)
      expect(await waitAfter(counter)).toBe(0)
      if (wait === longest) break
    }
  })

  it('are counted from zero after the clock is set back', async () => {
    const counter: CounterKey = { kind: 'account from address', subject: 'somebody in the future' }
    const before = clock.now()
    clock.set(new Date(before.getTime() + 30 * 24 * 60 * MINUTE_MS))
    for (let i = 0; i < 5; i++) expect(await waitAfter(counter)).toBe(0)
    expect(await waitAfter(counter)).toBe(1)
    clock.set(before)
    for (let i = 0; i < 5; i++) expect(await waitAfter(counter)).toBe(0)
    expect(await waitAfter(counter)).toBe(1)
  })

  it('are counted from zero when the window of the first one has ended', async () => {
    const counter: CounterKey = { kind: 'address', subject: 'office' }
    for (let i = 0; i < 80; i++) expect(await waitAfter(counter)).toBe(0)
    expect(await waitAfter(counter)).toBe(1)
    clock.advance(15 * MINUTE_MS)
    for (let i = 0; i < 80; i++) expect(await waitAfter(counter)).toBe(0)
    expect(await waitAfter(counter)).toBe(1)
  })

  it.each([
    ['30 days', 30 * 24 * 60],
    ['an hour', 60],
  ])('that were counted while the clock was ahead by %s cause no wait once the clock is right', async (_, minutes) => {
    const counter: CounterKey = { kind: 'account from address', subject: `ahead by ${minutes}` }
    const right = clock.now()
    expect(await waitAfter(counter)).toBe(0)
    clock.set(new Date(right.getTime() + minutes * MINUTE_MS))
    for (let i = 0; i < 10; i++) await attempts.record([counter])
    clock.set(right)
    for (let i = 0; i < 5; i++) expect(await waitAfter(counter)).toBe(0)
    expect(await waitAfter(counter)).toBe(1)
  })

  it('beyond the free number have to wait, even if they are concurrent', async () => {
    const counter: CounterKey = { kind: 'account from address', subject: 'crowd' }
    const waits = await Promise.all(Array.from({ length: 20 }, () => waitAfter(counter)))
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5)
  })

  it('[IDN-27] are all counted when concurrent attempts read the clock out of order', async () => {
    const own: CounterKey = { kind: 'account from address', subject: 'concurrent' }
    const account: CounterKey = { kind: 'account', subject: 'concurrent' }
    for (let i = 0; i < 5; i++) {
      expect(await waitAfter(own)).toBe(0)
      clock.advance(-5)
    }
    expect(await waitAfter(own)).toBeGreaterThan(0)
    for (let i = 0; i < 40; i++) {
      expect(await attempts.recordAndTest(account)).toBe(i >= 30)
      clock.advance(-5)
    }
    await attempts.undo([account])
    clock.advance(-5)
    expect(await attempts.recordAndTest(account)).toBe(true)
    clock.advance(1_000)
  })

  it('that one counter refuses are not counted by the others', async () => {
    const own: CounterKey = { kind: 'account from address', subject: 'refused' }
    const address: CounterKey = { kind: 'address', subject: 'refused' }
    for (let i = 0; i < 80; i++) await attempts.record([address])
    for (let i = 0; i < 20; i++) expect(await attempts.record([own, address])).toBeInstanceOf(Date)
    for (let i = 0; i < 5; i++) expect(await waitAfter(own)).toBe(0)
  })

  it('are never delayed by the counter of an account, which only reports when there are many attempts', async () => {
    const account: CounterKey = { kind: 'account', subject: 'famous' }
    for (let i = 0; i < 30; i++) expect(await attempts.recordAndTest(account)).toBe(false)
    for (let i = 0; i < 30; i++) expect(await attempts.recordAndTest(account)).toBe(true)
    expect(await attempts.record([account])).toBeUndefined()
    clock.advance(15 * MINUTE_MS)
    expect(await attempts.recordAndTest(account)).toBe(false)
  })

  it('are no longer counted after undo and reset, and old ones are deleted', async () => {
    const counter: CounterKey = { kind: 'account from address', subject: 'right' }
    for (let i = 0; i < 20; i++) {
      expect(await waitAfter(counter)).toBe(0)
      await attempts.undo([counter])
    }
    for (let i = 0; i < 5; i++) expect(await waitAfter(counter)).toBe(0)
    await attempts.reset(counter)
    for (let i = 0; i < 5; i++) expect(await waitAfter(counter)).toBe(0)
    clock.advance(25 * 60 * MINUTE_MS)
    await attempts.sweep()
    const { rows } = await test.database.session((tx) => tx.client.query('select count(*) as n from identity_attempts'))
    expect(rows).toEqual([{ n: 0 }])
  })
})
