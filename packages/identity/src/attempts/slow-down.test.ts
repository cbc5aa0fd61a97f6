import { describe, expect, it } from 'vitest'
import { createSlowDown } from './slow-down.ts'

const PAUSE_MS = 20
const strangers = Array.from({ length: 600 }, (_, i) => `198.51.${i >> 8}.${i & 255}`)

describe('turns at an account that is being guessed at', () => {
  it('[IDN-34] are two in each pause, and everybody else is told at once', async () => {
    const { pass } = createSlowDown(PAUSE_MS)
    const order: string[] = []
    const tries = strangers.map((address) =>
      pass('a', { failures: 1, address }).then((isLetIn) => {
        order.push(isLetIn ? 'in' : 'out')
        return isLetIn
      }),
    )
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(2)
    expect(order.slice(0, -2).every((told) => told === 'out')).toBe(true)
  })

  it('[IDN-34] go to an owner who has not failed before those who have, whoever comes first and most often', async () => {
    const { pass } = createSlowDown(PAUSE_MS)
    for (const place of ['first', 'last']) {
      const crowd = () => strangers.map((address) => pass('a', { failures: 2, address }))
      const before = place === 'last' ? crowd() : []
      const owner = pass('a', { failures: 1, address: '203.0.113.9' })
      const tries = [...before, ...crowd(), ...crowd()]
      expect(await owner).toBe(true)
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
    }
  })

  it('[IDN-34] are drawn among equals: who comes again in the same pause draws the same lot', async () => {
    const { pass } = createSlowDown(PAUSE_MS)
    const winsOf = async (account: string) => {
      // The stranger is there before the owner and behind it, ten times each; two more make it four at two turns.
      const many = () => Array.from({ length: 10 }, () => pass(account, { failures: 1, address: '198.51.100.1' }))
      const others = ['198.51.100.2', '198.51.100.3'].map((address) => pass(account, { failures: 1, address }))
      const before = many()
      const owner = pass(account, { failures: 1, address: '203.0.113.9' })
      await Promise.all([...before, ...others, ...many()])
      return await owner
    }
    const won = (await Promise.all(Array.from({ length: 300 }, (_, i) => winsOf(`a${i}`)))).filter(Boolean).length
    // A lot for each try would let the owner in at some 10 of 100.
    expect(won).toBeGreaterThan(75)
    expect(won).toBeLessThan(225)
  })

  it('do not depend on those at another account', async () => {
    const { pass } = createSlowDown(PAUSE_MS)
    const tries = strangers.map((address) => pass('a', { failures: 1, address }))
    expect(await pass('b', { failures: 9, address: '198.51.100.1' })).toBe(true)
    await Promise.all(tries)
  })
})
