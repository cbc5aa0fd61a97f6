import { randomBytes, randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { releaseBuffer } from './body-pool.ts'
import { ByteCollector } from './byte-collector.ts'

const MB = 1024 * 1024
const memory = () => process.memoryUsage().arrayBuffers

describe('ByteCollector', () => {
  it.each([0, 1, 16_383, 16_384, 65_536, 65_537, 300_000, 3 * MB + 1])(
    'returns a body of %i bytes unchanged, whatever the sizes of its pieces',
    (length) => {
      const body = randomBytes(length)
      const collector = new ByteCollector(length)
      for (let at = 0; at < length; ) {
        const next = Math.min(length, at + 1 + randomInt(randomInt(10) < 7 ? 999 : 200_000))
        collector.add(body.subarray(at, next))
        at = next
      }
      expect(collector.arrived).toBe(length)
      const taken = collector.take()
      expect(taken.equals(body)).toBe(true)
      releaseBuffer(taken)
    },
  )

  it('takes memory for what has arrived, and not for what was announced', () => {
    const before = memory()
    const collectors = Array.from({ length: 20 }, () => new ByteCollector(10 * MB))
    for (const collector of collectors) collector.add(Buffer.alloc(1_000))
    expect(memory() - before).toBeLessThan(20 * 100_000)
    const [one] = collectors
    one!.add(randomBytes(2 * MB))
    expect(memory() - before).toBeLessThan(20 * 100_000 + 2 * 2 * MB + 2 * MB)
    for (const collector of collectors) collector.drop()
  })

  it('frees its memory when it is dropped', () => {
    const piece = Buffer.alloc(64 * 1024)
    const before = memory()
    for (let i = 0; i < 20; i++) {
      const collector = new ByteCollector(10 * MB)
      while (collector.arrived < 9 * MB) collector.add(piece)
      collector.drop()
    }
    // Some buffers are kept for the next body.
    expect(memory() - before).toBeLessThan(20 * MB)
  })
})
