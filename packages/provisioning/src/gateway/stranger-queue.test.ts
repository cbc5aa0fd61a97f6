import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Turn } from './connection.ts'
import { createStrangerQueue } from './stranger-queue.ts'

/** A request of a connection, which can leave. */
function turn() {
  const over = new AbortController()
  const response = new EventEmitter()
  const leave = () => {
    over.abort()
    response.emit('close')
  }
  return { turn: { response, connection: { over: over.signal } } as unknown as Turn, leave }
}

describe('requests that wait in a queue', () => {
  it('begin in their order, so many at a time', () => {
    const begun: Turn[] = []
    const queue = createStrangerQueue<Turn>((one) => void begun.push(one), { perAddress: 2, holdMs: 60_000 })
    const all = Array.from({ length: 5 }, turn)
    for (const one of all) queue.enter('a', one.turn)
    expect(begun).toEqual(all.slice(0, 2).map((one) => one.turn))
    all[0]!.leave()
    expect(begun).toEqual(all.slice(0, 3).map((one) => one.turn))
    for (const one of all) one.leave()
    expect(queue.size).toBe(0)
  })

  it('[HST-35] are forgotten when their client leaves, though those before them stay', () => {
    const begun: Turn[] = []
    const queue = createStrangerQueue<Turn>((one) => void begun.push(one), { perAddress: 1, holdMs: 60_000 })
    const [first, stays] = [turn(), turn()]
    queue.enter('a', first.turn)
    queue.enter('a', stays.turn)
    for (let i = 0; i < 100; i++) {
      const gone = turn()
      queue.enter('a', gone.turn)
      gone.leave()
    }
    expect(queue.size).toBe(1)
    first.leave()
    expect(begun).toEqual([first.turn, stays.turn])
    stays.leave()
  })
})
