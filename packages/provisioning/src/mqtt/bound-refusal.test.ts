import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundRefusal, MAX_ERROR_BYTES } from './bound-refusal.ts'

describe('an error on the errors topic', () => {
  it('[MQT-11] counts the list entries that were left out, including those that the stack left out', () => {
    const pointIds = Array.from({ length: 5_000 }, (_, i) => `point-${i}`)
    const text = boundRefusal({ code: 'UNKNOWN_POINTS', pointIds, errors: [1], leftOut: { pointIds: 85_000 } })
    const { leftOut, ...rest } = JSON.parse(text)
    expect(rest.pointIds.length).toBeGreaterThan(100)
    expect(leftOut).toEqual({ pointIds: 90_000 - rest.pointIds.length })
    expect(rest.errors).toEqual([1])
  })

  it.each(['\u0001', '€', '👷', '\ud800'])(
    '[MQT-11] names the refused message, even if its topic is the character %j 60,000 times',
    (character) => {
      const { message } = JSON.parse(
        boundRefusal({ code: 'X', message: { topic: character.repeat(60_000), bytes: 1 } }),
      )
      expect(message.bytes).toBe(1)
      expect(message.topic).toMatch(new RegExp(`^${character}+…$`, 'u'))
    },
  )

  it('[MQT-11] is JSON of at most 16 KB for any refusal', () => {
    const long = fc.string({ minLength: 0, maxLength: 40_000, unit: fc.constantFrom('x', '€', '\u0000', '"') })
    const values = fc.oneof(long, fc.array(long, { maxLength: 20 }), fc.jsonValue(), fc.dictionary(long, long))
    fc.assert(
      fc.property(fc.dictionary(fc.string(), values), long, (refusal, topic) => {
        const text = boundRefusal({ code: 'X', detail: topic, ...refusal, message: { topic, bytes: 1 } })
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_ERROR_BYTES)
        expect(JSON.parse(text).message.bytes).toBe(1)
      }),
      { numRuns: 100 },
    )
  })
})
