import { describe, expect, it } from 'vitest'
import { createFairTurns, TooManyWaiting } from './fair-turns.ts'

describe('turns', () => {
  /** The order in which waiting tasks started, and the maximum number of concurrent tasks. */
  async function orderOf(waiters: [who: string, isKnown: boolean][], maxWaiting = 100) {
    const turns = createFairTurns({ atATime: 2, maxWaiting })
    const order: string[] = []
    let [running, most] = [0, 0]
    const work = (who: string) => async () => {
      order.push(who)
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
    }
    const first = ['a', 'b'].map((who) => turns.run({ who, isKnown: false }, work(who)))
    const all = await Promise.allSettled([
      ...first,
      ...waiters.map(([who, isKnown]) => turns.run({ who, isKnown }, work(who))),
    ])
    const refused = all.filter(({ status }) => status === 'rejected')
    return { order: order.slice(2).join(' '), most, refused }
  }

  it('[IDN-37] rotate among networks, and every second one is for a known browser', async () => {
    const crowd = Array.from({ length: 6 }, (): [string, boolean] => ['crowd', false])
    const { order, most } = await orderOf([...crowd, ['other', false], ['mine', true], ['mine', true]])
    expect(order).toBe('mine crowd mine other crowd crowd crowd crowd crowd')
    expect(most).toBe(2)
  })

  it('[IDN-37] are refused only to a network with too many waiting tasks', async () => {
    const crowd = Array.from({ length: 6 }, (): [string, boolean] => ['crowd', false])
    const { order, refused } = await orderOf([...crowd, ['other', false]], 3)
    expect(order).toBe('crowd other crowd crowd')
    expect(refused).toHaveLength(3)
    for (const one of refused) expect(one).toMatchObject({ reason: expect.any(TooManyWaiting) })
  })

  it('continue after work that failed', async () => {
    const turns = createFairTurns({ atATime: 1, maxWaiting: 1 })
    const waiter = { who: 'a', isKnown: false }
    const failed = turns.run(waiter, () => Promise.reject(new Error('no')))
    expect(turns.isCrowded(waiter)).toBe(false)
    const next = turns.run(waiter, async () => 'done')
    expect(turns.isCrowded(waiter)).toBe(true)
    expect(turns.isCrowded({ who: 'b', isKnown: false })).toBe(false)
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('done')
    expect(turns.isCrowded(waiter)).toBe(false)
  })
})
