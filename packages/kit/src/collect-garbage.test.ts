import { expect, it } from 'vitest'
import { noteUsed } from './collect-garbage.ts'

const CHUNK_BYTES = 64 * 1024

it('frees buffers that were used once, without a collection of the whole heap', () => {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let i = 0; i < 2_000; i++) {
    noteUsed(Buffer.allocUnsafeSlow(CHUNK_BYTES).length)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  expect(most).toBeLessThan(8 * 1024 * 1024)
})
