import { describe, expect, it } from 'vitest'
import { createSlowDown } from './slow-down.ts'

const ROUND_MS = 20
const attackers = Array.from({ length: 600 }, (_, i) => `198.51.${i >> 8}.${i & 255}`)

describe('attempts at an account under attack', () => {
  it('[IDN-34] are admitted two per round, and the others are refused immediately', async () => {
    const { admit } = createSlowDown(ROUND_MS)
    const outcomes: string[] = []
    const tries = attackers.map((address) =>
      admit('a', { failures: 1, address }).then((isAdmitted) => {
        outcomes.push(isAdmitted ? 'admitted' : 'refused')
        return isAdmitted
      }),
    )
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(2)
    expect(outcomes.slice(0, -2).every((outcome) => outcome === 'refused')).toBe(true)
  })

  it('[IDN-34] are admitted if they have the fewest failures, however many other attempts there are, and in any order', async () => {
    const { admit } = createSlowDown(ROUND_MS)
    for (const place of ['first', 'last']) {
      const crowd = () => attackers.map((address) => admit('a', { failures: 2, address }))
      const before = place === 'last' ? crowd() : []
      const owner = admit('a', { failures: 1, address: '203.0.113.9' })
      const tries = [...before, ...crowd(), ...crowd()]
      expect(await owner).toBe(true)
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
    }
  })

  it('[IDN-34] with equally many failures are admitted at random, and each address has about the same chance', async () => {
    const { admit } = createSlowDown(ROUND_MS)
    const winsOf = async (account: string) => {
      // One address tries ten times before the owner and ten times after. With two other addresses and the owner's
      // address, four addresses compete for two places.
      const many = () => Array.from({ length: 10 }, () => admit(account, { failures: 1, address: '198.51.100.1' }))
      const others = ['198.51.100.2', '198.51.100.3'].map((address) => admit(account, { failures: 1, address }))
      const before = many()
      const owner = admit(account, { failures: 1, address: '203.0.113.9' })
      await Promise.all([...before, ...others, ...many()])
      return await owner
    }
    const won = (await Promise.all(Array.from({ length: 300 }, (_, i) => winsOf(`a${i}`)))).filter(Boolean).length
    // If each attempt instead of each address had the same chance, the owner would win about 26 of 300 rounds.
    expect(won).toBeGreaterThan(75)
    expect(won).toBeLessThan(225)
  })

  it('[IDN-34] are admitted at most once per round from each address: the attempt with the fewest failures', async () => {
    const { admit } = createSlowDown(ROUND_MS)
    const attempts = [2, 1, 1, 3].map((failures) => admit('a', { failures, address: '198.51.100.1' }))
    const other = admit('a', { failures: 9, address: '198.51.100.2' })
    expect(await Promise.all(attempts)).toEqual([false, true, false, false])
    expect(await other).toBe(true)
  })

  it('do not affect another account', async () => {
    const { admit } = createSlowDown(ROUND_MS)
    const tries = attackers.map((address) => admit('a', { failures: 1, address }))
    expect(await admit('b', { failures: 9, address: '198.51.100.1' })).toBe(true)
    await Promise.all(tries)
  })
})
