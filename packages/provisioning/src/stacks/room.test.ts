import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createRoom, FULL_SHARE, LEAST_SHARE } from './room.ts'

function testRoom(connections: number, maxStacks = 0, waitMs = 1_000) {
  /** Those that may be stopped, the first of them first. */
  const idle: string[] = []
  const stopped: string[] = []
  const room = createRoom({
    connections,
    maxStacks,
    waitMs,
    stopOne: () => {
      const sandboxId = idle.shift()
      if (sandboxId === undefined) return undefined
      stopped.push(sandboxId)
      return sleep(5).then(() => room.leave(sandboxId))
    },
  })
  return { room, idle, stopped }
}

describe('room for stacks', () => {
  it('[STK-17] gives full shares at first, small ones when half is used, and never more than there is', async () => {
    const { room } = testRoom(27)
    const shares = []
    for (const id of 'abcdef') shares.push(await room.enter(id))
    expect(shares).toEqual([FULL_SHARE, FULL_SHARE, LEAST_SHARE, LEAST_SHARE, LEAST_SHARE, LEAST_SHARE])
    expect(room.state()).toEqual({ connections: 27, used: 24, waiting: 0 })
    expect(await room.enter('g')).toBe(LEAST_SHARE)
    const late = room.enter('h')
    expect(room.state()).toEqual({ connections: 27, used: 27, waiting: 1 })
    room.leave('a')
    expect(await late).toBe(LEAST_SHARE)
  })

  it('[STK-18] stops the one that is needed least for one that waits, and no more than wait', async () => {
    const { room, idle, stopped } = testRoom(6)
    await room.enter('a')
    await room.enter('b')
    idle.push('a', 'b')
    expect(await room.enter('c')).toBe(LEAST_SHARE)
    expect(stopped).toEqual(['a'])
  })

  it('[STK-18] lets those that wait in by turns, when one becomes idle', async () => {
    const { room, idle } = testRoom(3)
    await room.enter('a')
    const order: string[] = []
    const waiting = ['b', 'c'].map((id) => room.enter(id).then(() => order.push(id)))
    await sleep(20)
    expect(order).toEqual([])
    idle.push('a')
    room.look()
    await waiting[0]
    idle.push('b')
    await waiting[1]
    expect(order).toEqual(['b', 'c'])
  })

  it('[STK-18] refuses with a problem after a while, and when it is not wanted any more', async () => {
    const { room } = testRoom(3, 0, 50)
    await room.enter('a')
    await expect(room.enter('b')).rejects.toMatchObject({ code: 'NOT_READY', status: 503 })
    const waiting = room.enter('c')
    room.cancel('c')
    await expect(waiting).rejects.toMatchObject({ code: 'NOT_READY' })
    expect(room.state()).toEqual({ connections: 3, used: 3, waiting: 0 })
  })

  it('[STK-19] bounds the number of stacks', async () => {
    const { room, idle } = testRoom(1_000, 2)
    await room.enter('a')
    await room.enter('b')
    const third = room.enter('c')
    expect(room.state().waiting).toBe(1)
    idle.push('b')
    room.look()
    expect(await third).toBe(FULL_SHARE)
  })
})
