import { EventEmitter } from 'node:events'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Exchange } from './connection.ts'
import { limitUnauthenticatedBytes } from './limit-unauthenticated-bytes.ts'

const KB = 1024

describe('bytes of responses that need no credential', () => {
  let time = 0
  let bytes: ReturnType<typeof limitUnauthenticatedBytes>
  beforeEach(() => {
    time = 0
    bytes = limitUnauthenticatedBytes(() => false, {
      perAddress: { burst: 1000 * KB, perSecond: 100 * KB },
      total: { burst: 2500 * KB, perSecond: 1000 * KB },
      now: () => time,
    })
  })

  it('[HST-59] delay the next response to an address, until enough time has passed', () => {
    bytes.count('a')(1000 * KB)
    expect(bytes.waitMs('a')).toBe(0)
    bytes.count('a')(500 * KB)
    expect(bytes.waitMs('a')).toBe(5_000)
    expect(bytes.waitMs('b')).toBe(0)
    time = 4_000
    expect(bytes.waitMs('a')).toBeCloseTo(1_000)
    time = 5_000
    expect(bytes.waitMs('a')).toBeCloseTo(0)
  })

  it('[HST-59] to many addresses together delay the responses to every address', () => {
    for (const address of ['a', 'b', 'c']) bytes.count(address)(1000 * KB)
    expect(bytes.waitMs('d')).toBe(500)
    time = 500
    expect(bytes.waitMs('d')).toBeCloseTo(0)
  })

  it('are estimated when a response begins, and counted by its size when it ends', () => {
    const ends = Array.from({ length: 10 }, () => bytes.count('a'))
    expect(bytes.waitMs('a')).toBeGreaterThan(0)
    for (const end of ends) end(200)
    expect(bytes.waitMs('a')).toBe(0)
  })

  it('are forgotten for the least recently seen addresses', () => {
    bytes.count('old')(1500 * KB)
    time = 1_000
    for (let i = 0; i < 10_000; i++) bytes.count(`${i}`)(0)
    expect(bytes.waitMs('old')).toBe(0)
  })

  it('[HST-59] to a caller delay only the responses to requests with the same credential', () => {
    const socket = { bytesWritten: 0 }
    const begun: string[] = []
    const ask = (credential: string, size: number) => {
      const response = new EventEmitter()
      const exchange = { request: { socket }, response, connection: { over: new AbortController().signal } }
      bytes.runForCaller(credential, exchange as unknown as Exchange, () => begun.push(credential))
      socket.bytesWritten += size
      response.emit('close')
    }
    ask('a', 1500 * KB)
    ask('a', 0)
    ask('b', 0)
    expect(begun).toEqual(['a', 'b'])
    time = 6_000
    ask('a', 0)
    expect(begun).toEqual(['a', 'b', 'a'])
  })
})
