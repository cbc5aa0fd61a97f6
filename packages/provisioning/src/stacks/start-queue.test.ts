import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createStartQueue, remoteStartQueue } from './start-queue.ts'

/** Simulated starts of stacks. Each start ends when the test calls `end`. */
function testStarts() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const start = (sandboxId: string) => () => {
    begun.push(sandboxId)
    return new Promise<void>((resolve) => ends.set(sandboxId, resolve))
  }
  const end = async (sandboxId: string) => {
    ends.get(sandboxId)!()
    await sleep(0)
  }
  return { begun, start, end }
}

describe('the queue of starts', () => {
  it('[STK-10] starts a few stacks at a time, and starts the stacks of an owner in the order of the requests', async () => {
    const { begun, start, end } = testStarts()
    const queue = createStartQueue({ maxStarting: 2, holdMs: 60_000 })
    const runs = ['a', 'b', 'c', 'd'].map((id) => queue.run('owner', start(id)))
    await sleep(0)
    expect(begun).toEqual(['a', 'b'])
    await end('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    await end('a')
    await end('c')
    await end('d')
    await Promise.all(runs)
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
  })

  it('[STK-36] starts more stacks at a time on other machines, at most eight of them for one client address', () => {
    expect(remoteStartQueue(32)).toMatchObject({ maxStarting: 32, perClient: 8 })
    expect(remoteStartQueue(2)).toMatchObject({ maxStarting: 2, perClient: 2 })
  })

  it('[STK-24] lets owners take turns, however many starts of one owner wait', async () => {
    const { begun, start, end } = testStarts()
    const queue = createStartQueue({ maxStarting: 1, holdMs: 60_000 })
    for (const id of ['a1', 'a2', 'a3', 'a4']) queue.run('a', start(id))
    queue.run('b', start('b1'))
    await sleep(0)
    for (const id of ['a1', 'a2', 'b1']) await end(id)
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  it('begins the next start when one fails', async () => {
    const { begun, start } = testStarts()
    const queue = createStartQueue({ maxStarting: 1, holdMs: 60_000 })
    const failing = queue.run('owner', () => Promise.reject(new Error('no such program')))
    queue.run('owner', start('b'))
    await expect(failing).rejects.toThrow('no such program')
    await sleep(0)
    expect(begun).toEqual(['b'])
  })

  it('does not let a hanging start block the others', async () => {
    const { begun, start } = testStarts()
    const queue = createStartQueue({ maxStarting: 1, holdMs: 5 })
    for (const id of ['a', 'b', 'c']) queue.run('owner', start(id))
    await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
  })

  it('gives the slot of a hanging start to only one other start', async () => {
    const { begun, start, end } = testStarts()
    const queue = createStartQueue({ maxStarting: 1, holdMs: 1_000 })
    queue.run('owner', start('a'))
    queue.run('owner', start('b'))
    await expect.poll(() => begun).toEqual(['a', 'b'])
    queue.run('owner', start('c'))
    await end('a')
    expect(begun).toEqual(['a', 'b'])
  })

  it('refuses only the start that is cancelled while it waits', async () => {
    const { begun, start, end } = testStarts()
    const queue = createStartQueue({ maxStarting: 1, holdMs: 60_000 })
    queue.run('owner', start('a'))
    const cancel = new AbortController()
    const cancelled = queue.run('owner', start('b'), cancel.signal)
    queue.run('owner', start('c'))
    cancel.abort(new Error('being stopped'))
    await expect(cancelled).rejects.toThrow('being stopped')
    await end('a')
    expect(begun).toEqual(['a', 'c'])
  })
})
