import { expect, it } from 'vitest'
import { notePassed } from './collect-passed.ts'

const CHUNK_BYTES = 64 * 1024

it('frees the buffers of bodies that have passed', () => {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let i = 0; i < 2_000; i++) {
    notePassed(Buffer.allocUnsafeSlow(CHUNK_BYTES).length)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  expect(most).toBeLessThan(8 * 1024 * 1024)
})
