import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Exchange } from './connection.ts'
import { createUnauthenticatedQueue } from './unauthenticated-queue.ts'

/** A request whose client can disconnect. */
function exchange() {
  const over = new AbortController()
  const response = new EventEmitter()
  const leave = () => {
    over.abort()
    response.emit('close')
  }
  return { exchange: { response, connection: { over: over.signal } } as unknown as Exchange, leave }
}

describe('requests that wait in a queue', () => {
  it('start in order, a limited number at a time', () => {
    const begun: Exchange[] = []
    const queue = createUnauthenticatedQueue<Exchange>((one) => void begun.push(one), { perAddress: 2, holdMs: 60_000 })
    const all = Array.from({ length: 5 }, exchange)
    for (const one of all) queue.enter('a', one.exchange)
    expect(begun).toEqual(all.slice(0, 2).map((one) => one.exchange))
    all[0]!.leave()
    expect(begun).toEqual(all.slice(0, 3).map((one) => one.exchange))
    for (const one of all) one.leave()
    expect(queue.size).toBe(0)
  })

  it('[HST-35] are removed when their client disconnects, even if earlier requests still wait', () => {
    const begun: Exchange[] = []
    const queue = createUnauthenticatedQueue<Exchange>((one) => void begun.push(one), { perAddress: 1, holdMs: 60_000 })
    const [first, stays] = [exchange(), exchange()]
    queue.enter('a', first.exchange)
    queue.enter('a', stays.exchange)
    for (let i = 0; i < 100; i++) {
      const gone = exchange()
      queue.enter('a', gone.exchange)
      gone.leave()
    }
    expect(queue.size).toBe(1)
    first.leave()
    expect(begun).toEqual([first.exchange, stays.exchange])
    stays.leave()
  })

  it('[HST-49] take turns by credential, so that many requests of one credential delay another credential by only a turn', () => {
    const begun: Exchange[] = []
    const queue = createUnauthenticatedQueue<Exchange>((one) => void begun.push(one), { perAddress: 1, holdMs: 60_000 })
    const many = Array.from({ length: 100 }, exchange)
    for (const one of many) queue.enter('a', one.exchange, 'Bearer many')
    const other = exchange()
    queue.enter('a', other.exchange, 'Bearer other')
    many[0]!.leave()
    many[1]!.leave()
    expect(begun[2]).toBe(other.exchange)
    other.leave()
    for (const one of many) one.leave()
    expect(queue.size).toBe(0)
  })
})
