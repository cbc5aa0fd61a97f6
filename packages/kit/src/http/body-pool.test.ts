import { describe, expect, it } from 'vitest'
import { releaseBuffer, takeBuffer } from './body-pool.ts'

describe('buffers of bodies', () => {
  it('are used again after they are released, for a body of a similar length', () => {
    const first = takeBuffer(100_000)
    expect(first).toHaveLength(100_000)
    const other = takeBuffer(100_000)
    expect(other.buffer).not.toBe(first.buffer)
    releaseBuffer(first)
    const second = takeBuffer(120_000)
    expect(second).toHaveLength(120_000)
    expect(second.buffer).toBe(first.buffer)
  })

  it('are never shared by two bodies, even if a buffer is released twice', () => {
    const first = takeBuffer(200_000)
    releaseBuffer(first)
    releaseBuffer(first)
    expect(takeBuffer(200_000).buffer).not.toBe(takeBuffer(200_000).buffer)
  })

  it.each([0, 100, 3 * 1024 * 1024])('of %i bytes are not kept', (length) => {
    const first = takeBuffer(length)
    expect(first).toHaveLength(length)
    releaseBuffer(first)
    expect(takeBuffer(length).buffer).not.toBe(first.buffer)
  })

  it('that do not begin at the start of their memory are not kept', () => {
    const slice = Buffer.alloc(64 * 1024).subarray(1, 40_000)
    releaseBuffer(slice)
    expect(takeBuffer(40_000).buffer).not.toBe(slice.buffer)
  })
})
