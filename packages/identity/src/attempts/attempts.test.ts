import { movableClock } from '@storey/kit/clock'
import type { TestDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVault } from '../seal.ts'
import { identityDatabase } from '../testing/serve.ts'
import { type Attempts, type Counted, createAttempts } from './attempts.ts'

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

  it.each<[Counted['kind'], number]>([
    ['account from address', 8],
    ['account', 40],
    ['address', 80],
    ['device code from address', 20],
  ])('of one %s are %i in fifteen minutes', async (kind, limit) => {
    const counted: Counted[] = [{ kind, subject: 'someone' }]
    const end = new Date(clock.now().getTime() + 15 * MINUTE_MS)
    for (let i = 0; i < limit; i++) expect(await attempts.take(counted)).toBeUndefined()
    clock.advance(10 * MINUTE_MS)
    // Trying on does not move the end.
    for (let i = 0; i < 3; i++) expect(await attempts.take(counted)).toEqual(end)
    expect(await attempts.take([{ kind, subject: 'someone else' }])).toBeUndefined()
    clock.advance(5 * MINUTE_MS)
    expect(await attempts.take(counted)).toBeUndefined()
  })

  it('wait for the last of the limits that are reached', async () => {
    const early: Counted = { kind: 'account from address', subject: 'early' }
    const late: Counted = { kind: 'account from address', subject: 'late' }
    for (let i = 0; i < 8; i++) await attempts.take([early])
    clock.advance(MINUTE_MS)
    for (let i = 0; i < 8; i++) await attempts.take([late])
    expect(await attempts.take([early, late])).toEqual(new Date(clock.now().getTime() + 15 * MINUTE_MS))
  })

  it('that are taken back were none, and old ones are swept', async () => {
    const counted: Counted[] = [{ kind: 'account from address', subject: 'right' }]
    for (let i = 0; i < 20; i++) {
      expect(await attempts.take(counted)).toBeUndefined()
      await attempts.takeBack(counted)
    }
    clock.advance(16 * MINUTE_MS)
    await attempts.sweep()
    const { rows } = await test.database.session((tx) => tx.client.query('select count(*) as n from identity_attempts'))
    expect(rows).toEqual([{ n: 0 }])
  })
})
