import { expect, it } from 'vitest'
import { freeBuffer } from './free-buffer.ts'

const CHUNK_BYTES = 64 * 1024

it('frees a buffer immediately', () => {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let i = 0; i < 1_000; i++) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    freeBuffer(chunk)
    expect(chunk.length).toBe(0)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  expect(most).toBeLessThan(2 * CHUNK_BYTES)
})

it('does not free memory that other buffers use', () => {
  const whole = Buffer.alloc(CHUNK_BYTES, 'x')
  freeBuffer(whole.subarray(0, CHUNK_BYTES / 2))
  const small = Buffer.from('some text')
  freeBuffer(small)
  expect(whole.toString()).toBe('x'.repeat(CHUNK_BYTES))
  expect(small.toString()).toBe('some text')
})
