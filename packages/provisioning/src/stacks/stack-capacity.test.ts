import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createStackCapacity, FULL_SHARE, MIN_SHARE, type StackCapacity } from './stack-capacity.ts'

/** The first letter of the id is the owner. */
const sandbox = (id: string) => ({ id, organizationId: id[0]! })

/** Only the requests of owners with a lower-case letter have a valid credential. */
const isVerified = (owner: string) => owner === owner.toLowerCase()

function testCapacity(connections: number, maxStacks = 0, waitMs = 1_000, replicas = 1) {
  /** The stacks that can be stopped, in the order in which `stopOne` stops them. */
  const idle: string[] = []
  const stopped: string[] = []
  /** The owners for whom the capacity asked to stop another stack. */
  const asked: string[] = []
  const capacity: StackCapacity = createStackCapacity({
    connections: () => connections,
    isFull: () => maxStacks > 0 && capacity.size() >= maxStacks,
    waitMs,
    replicas,
    isVerified,
    stopOne: (owner) => {
      asked.push(owner)
      const sandboxId = idle.shift()
      if (sandboxId === undefined) return undefined
      stopped.push(sandboxId)
      return sleep(5).then(() => capacity.release(sandboxId))
    },
  })
  return { capacity, idle, stopped, asked }
}

describe('stack capacity', () => {
  it('[STK-17] gives full shares up to half of the budget, then small ones, and never exceeds the budget', async () => {
    const { capacity } = testCapacity(27)
    const shares = []
    for (const id of 'abcdef') shares.push(await capacity.acquire(sandbox(id)))
    expect(shares).toEqual([FULL_SHARE, FULL_SHARE, MIN_SHARE, MIN_SHARE, MIN_SHARE, MIN_SHARE])
    expect(capacity.state()).toEqual({ connections: 27, used: 24, waiting: 0 })
    expect(await capacity.acquire(sandbox('g'))).toBe(MIN_SHARE)
    const late = capacity.acquire(sandbox('h'))
    expect(capacity.state()).toEqual({ connections: 27, used: 27, waiting: 1 })
    capacity.release('a')
    expect(await late).toBe(MIN_SHARE)
  })

  it('[KUB-20] counts the connections of all processes of a stack', async () => {
    const { capacity } = testCapacity(40, 0, 20, 3)
    // `acquire` returns the share of one process.
    expect(await capacity.acquire(sandbox('a'))).toBe(FULL_SHARE)
    expect(capacity.shareOf('a')).toBe(3 * FULL_SHARE)
    expect(await capacity.acquire(sandbox('b'))).toBe(MIN_SHARE)
    expect(await capacity.acquire(sandbox('c'))).toBe(MIN_SHARE)
    expect(capacity.state()).toEqual({ connections: 40, used: 3 * (FULL_SHARE + 2 * MIN_SHARE), waiting: 0 })
    await expect(capacity.acquire(sandbox('d'))).rejects.toThrow('Too many sandboxes are running')
    for (const id of 'abc') capacity.release(id)
    expect(capacity.state().used).toBe(0)
  })

  it('[STK-18] stops only one stack for one waiting stack', async () => {
    const { capacity, idle, stopped } = testCapacity(6)
    await capacity.acquire(sandbox('a'))
    await capacity.acquire(sandbox('b'))
    idle.push('a', 'b')
    expect(await capacity.acquire(sandbox('c'))).toBe(MIN_SHARE)
    expect(stopped).toEqual(['a'])
  })

  it('[STK-27] serves requests with a valid credential first, and stops a stack for these before it stops one for other requests', async () => {
    const { capacity, idle, asked } = testCapacity(6)
    for (const id of ['a', 'b']) await capacity.acquire(sandbox(id))
    const order: string[] = []
    const waiting = ['C', 'd', 'E'].map((id) => capacity.acquire(sandbox(id)).then(() => order.push(id)))
    asked.length = 0
    idle.push('a', 'b')
    capacity.recheck()
    await Promise.all(waiting.slice(0, 2))
    expect(order).toEqual(['d', 'C'])
    expect(asked.slice(0, 2)).toEqual(['d', 'C'])
    capacity.release('d')
    await waiting[2]
  })

  it('[STK-18] starts waiting stacks in order, each when a running stack becomes idle', async () => {
    const { capacity, idle } = testCapacity(3)
    await capacity.acquire(sandbox('a'))
    const order: string[] = []
    const waiting = ['b', 'c'].map((id) => capacity.acquire(sandbox(id)).then(() => order.push(id)))
    await sleep(20)
    expect(order).toEqual([])
    idle.push('a')
    capacity.recheck()
    await waiting[0]
    idle.push('b')
    await waiting[1]
    expect(order).toEqual(['b', 'c'])
  })

  it('[STK-18] refuses with a problem after the maximum wait, and ends a wait that is cancelled', async () => {
    const { capacity } = testCapacity(3, 0, 50)
    await capacity.acquire(sandbox('a'))
    await expect(capacity.acquire(sandbox('b'))).rejects.toMatchObject({ code: 'NOT_READY', status: 503 })
    const cancel = new AbortController()
    const waiting = capacity.acquire(sandbox('c'), cancel.signal)
    cancel.abort(new Error('cancelled'))
    await expect(waiting).rejects.toThrow('cancelled')
    expect(capacity.state()).toEqual({ connections: 3, used: 3, waiting: 0 })
  })

  it('[STK-24] serves the owner with the fewest stacks first; owners with equally many take turns', async () => {
    const { capacity } = testCapacity(1_000, 4)
    for (const id of ['a1', 'a2', 'b1', 'x1']) await capacity.acquire(sandbox(id))
    const order: string[] = []
    for (const id of ['a3', 'a4', 'b2', 'c1', 'c2', 'd1']) capacity.acquire(sandbox(id)).then(() => order.push(id))
    for (const id of ['x1', 'c1', 'd1', 'c2', 'b2', 'a3']) {
      capacity.release(id)
      await sleep(0)
    }
    expect(order).toEqual(['c1', 'd1', 'c2', 'b2', 'a3', 'a4'])
  })

  it('[STK-32] stops a stack for the second waiting owner if no stack can be stopped for the first, and gives the freed capacity to the second', async () => {
    const order: string[] = []
    /** The stack of owner a that can be stopped for another stack of the same owner. */
    const ofA = ['a1']
    const capacity: StackCapacity = createStackCapacity({
      connections: () => 1_000,
      isFull: () => capacity.size() >= 3,
      isVerified: () => true,
      stopOne: (owner) => {
        const sandboxId = owner === 'a' ? ofA.shift() : undefined
        return sandboxId === undefined ? undefined : sleep(5).then(() => capacity.release(sandboxId))
      },
    })
    for (const id of ['a1', 'a2', 'b1']) await capacity.acquire(sandbox(id))
    const waiting = ['b2', 'a3'].map((id) => capacity.acquire(sandbox(id)).then(() => order.push(id)))
    await waiting[1]
    expect(order).toEqual(['a3'])
    capacity.release('b1')
    await waiting[0]
  })

  it('[STK-32] passes to `stopOne` how many stacks are already being stopped for the owner', async () => {
    const asked: string[] = []
    const stops: (() => void)[] = []
    const capacity: StackCapacity = createStackCapacity({
      connections: () => 1_000,
      isFull: () => capacity.size() >= 2,
      isVerified: () => true,
      stopOne: (owner, coming) => {
        asked.push(`${owner} ${coming}`)
        return new Promise((resolve) => stops.push(resolve))
      },
    })
    for (const id of ['x1', 'x2']) await capacity.acquire(sandbox(id))
    const waiting = ['b1', 'b2', 'c1'].map((id) => capacity.acquire(sandbox(id)))
    expect(asked).toEqual(['b 0', 'b 1', 'c 0'])
    for (const id of ['x1', 'x2', 'b1']) capacity.release(id)
    await Promise.all(waiting)
    for (const stop of stops) stop()
  })

  it('[STK-19] limits the number of stacks', async () => {
    const { capacity, idle } = testCapacity(1_000, 2)
    await capacity.acquire(sandbox('a'))
    await capacity.acquire(sandbox('b'))
    const third = capacity.acquire(sandbox('c'))
    expect(capacity.state().waiting).toBe(1)
    idle.push('b')
    capacity.recheck()
    expect(await third).toBe(FULL_SHARE)
  })
})
