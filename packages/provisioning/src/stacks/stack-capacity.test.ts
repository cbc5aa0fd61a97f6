import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createStackCapacity, FULL_SHARE, MIN_SHARE } from './stack-capacity.ts'

function testCapacity(connections: number, maxStacks = 0, waitMs = 1_000) {
  /** The stacks that may be stopped, in order. */
  const idle: string[] = []
  const stopped: string[] = []
  const capacity = createStackCapacity({
    connections,
    maxStacks,
    waitMs,
    stopOne: () => {
      const sandboxId = idle.shift()
      if (sandboxId === undefined) return undefined
      stopped.push(sandboxId)
      return sleep(5).then(() => capacity.release(sandboxId))
    },
  })
  return { capacity, idle, stopped }
}

describe('stack capacity', () => {
  it('[STK-17] gives full shares at first, small ones when half is used, and never more than the budget', async () => {
    const { capacity } = testCapacity(27)
    const shares = []
    for (const id of 'abcdef') shares.push(await capacity.acquire(id))
    expect(shares).toEqual([FULL_SHARE, FULL_SHARE, MIN_SHARE, MIN_SHARE, MIN_SHARE, MIN_SHARE])
    expect(capacity.state()).toEqual({ connections: 27, used: 24, waiting: 0 })
    expect(await capacity.acquire('g')).toBe(MIN_SHARE)
    const late = capacity.acquire('h')
    expect(capacity.state()).toEqual({ connections: 27, used: 27, waiting: 1 })
    capacity.release('a')
    expect(await late).toBe(MIN_SHARE)
  })

  it('[STK-18] stops the least needed stack for one that waits, and no more than wait', async () => {
    const { capacity, idle, stopped } = testCapacity(6)
    await capacity.acquire('a')
    await capacity.acquire('b')
    idle.push('a', 'b')
    expect(await capacity.acquire('c')).toBe(MIN_SHARE)
    expect(stopped).toEqual(['a'])
  })

  it('[STK-18] starts waiting stacks in order, when one becomes idle', async () => {
    const { capacity, idle } = testCapacity(3)
    await capacity.acquire('a')
    const order: string[] = []
    const waiting = ['b', 'c'].map((id) => capacity.acquire(id).then(() => order.push(id)))
    await sleep(20)
    expect(order).toEqual([])
    idle.push('a')
    capacity.recheck()
    await waiting[0]
    idle.push('b')
    await waiting[1]
    expect(order).toEqual(['b', 'c'])
  })

  it('[STK-18] refuses with a problem after a while, and when the wait is cancelled', async () => {
    const { capacity } = testCapacity(3, 0, 50)
    await capacity.acquire('a')
    await expect(capacity.acquire('b')).rejects.toMatchObject({ code: 'NOT_READY', status: 503 })
    const waiting = capacity.acquire('c')
    capacity.cancel('c')
    await expect(waiting).rejects.toMatchObject({ code: 'NOT_READY' })
    expect(capacity.state()).toEqual({ connections: 3, used: 3, waiting: 0 })
  })

  it('[STK-19] limits the number of stacks', async () => {
    const { capacity, idle } = testCapacity(1_000, 2)
    await capacity.acquire('a')
    await capacity.acquire('b')
    const third = capacity.acquire('c')
    expect(capacity.state().waiting).toBe(1)
    idle.push('b')
    capacity.recheck()
    expect(await third).toBe(FULL_SHARE)
  })
})
