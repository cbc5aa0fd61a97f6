import { describe, expect, it } from 'vitest'
import { createTaskQueue, TooManyWaiting } from './task-queue.ts'

describe('the task queue', () => {
  /** The order in which waiting tasks started, the maximum number of concurrent tasks, and the refused tasks. */
  async function orderOf(waiters: [key: string, isKnown: boolean][], maxWaiting = 100) {
    const queue = createTaskQueue({ concurrency: 2, maxWaiting })
    const order: string[] = []
    let [running, most] = [0, 0]
    const work = (key: string) => async () => {
      order.push(key)
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
    }
    const first = ['a', 'b'].map((key) => queue.run({ key, isKnown: false }, work(key)))
    const all = await Promise.allSettled([
      ...first,
      ...waiters.map(([key, isKnown]) => queue.run({ key, isKnown }, work(key))),
    ])
    const refused = all.filter(({ status }) => status === 'rejected')
    return { order: order.slice(2).join(' '), most, refused }
  }

  it('[IDN-37] takes tasks from the networks in turn, and while tasks of known browsers wait, takes every second task from these', async () => {
    const crowd = Array.from({ length: 6 }, (): [string, boolean] => ['crowd', false])
    const { order, most } = await orderOf([...crowd, ['other', false], ['mine', true], ['mine', true]])
    expect(order).toBe('mine crowd mine other crowd crowd crowd crowd crowd')
    expect(most).toBe(2)
  })

  it('[IDN-37] refuses only tasks of a network with too many waiting tasks', async () => {
    const crowd = Array.from({ length: 6 }, (): [string, boolean] => ['crowd', false])
    const { order, refused } = await orderOf([...crowd, ['other', false]], 3)
    expect(order).toBe('crowd other crowd crowd')
    expect(refused).toHaveLength(3)
    for (const one of refused) expect(one).toMatchObject({ reason: expect.any(TooManyWaiting) })
  })

  it('continues after a task that failed', async () => {
    const queue = createTaskQueue({ concurrency: 1, maxWaiting: 1 })
    const waiter = { key: 'a', isKnown: false }
    const failed = queue.run(waiter, () => Promise.reject(new Error('no')))
    expect(queue.isFull(waiter)).toBe(false)
    const next = queue.run(waiter, async () => 'done')
    expect(queue.isFull(waiter)).toBe(true)
    expect(queue.isFull({ key: 'b', isKnown: false })).toBe(false)
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('done')
    expect(queue.isFull(waiter)).toBe(false)
  })
})
