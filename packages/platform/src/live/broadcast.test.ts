import { describe, expect, it } from 'vitest'
import { frameOf } from './broadcast.ts'

describe('a frame', () => {
  it.each([
    [0, '8100'],
    [125, '817d'],
    [126, '817e007e'],
    [65_535, '817effff'],
    [65_536, '817f0000000000010000'],
  ])('with %i bytes of payload has a header that contains this length', (length, header) => {
    const payload = Buffer.alloc(length, 'x')
    const frame = frameOf(payload)
    expect(frame[0].toString('hex')).toBe(header)
    expect(frame[1]).toBe(payload)
  })
})
