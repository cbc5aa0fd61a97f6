import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AnswerReader } from './answer-reader.ts'
import { boundRefusal, MAX_ERROR_BYTES } from './bound-refusal.ts'

function read(text: string, sizes: readonly number[] = [64 * 1024]) {
  const reader = new AnswerReader()
  const bytes = Buffer.from(text)
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const next = at + Math.max(1, sizes[i % sizes.length]!)
    reader.feed(bytes.subarray(at, next))
    at = next
  }
  return reader.read()
}

describe('an answer of any length', () => {
  it('[MQT-11] is read whole when it is short, however it is cut into pieces', () => {
    const members = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())))
    fc.assert(
      fc.property(members, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (object, sizes) => {
        const answer = read(JSON.stringify(object), sizes)
        expect(answer.object).toEqual(JSON.parse(JSON.stringify(object)))
        for (const [name, value] of Object.entries(object)) {
          if (Array.isArray(value)) expect(answer.counts.get(name)).toBe(value.length)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('[MQT-11] is cut behind a whole entry when it is long, and its entries are counted', () => {
    const pointIds = Array.from({ length: 125_000 }, (_, i) => `0000-"${i},]}`)
    const { object, counts } = read(JSON.stringify({ code: 'UNKNOWN_POINTS', detail: 'some', pointIds }))
    expect(object).toMatchObject({ code: 'UNKNOWN_POINTS', detail: 'some' })
    const kept = object!.pointIds as string[]
    expect(kept).toEqual(pointIds.slice(0, kept.length))
    expect(kept.length).toBeGreaterThan(1_000)
    expect(counts.get('pointIds')).toBe(125_000)
  })

  it.each([
    '',
    'no JSON',
    '[1, 2]',
    '"text"',
    `{"detail":"${'x'.repeat(100_000)}"}`,
    '{"a":',
    `[${'['.repeat(70_000)}`,
  ])('[MQT-11] may be anything: %.20s', (text) => expect(() => boundRefusal(read(text).object ?? {})).not.toThrow())
})

describe('an error on the topic for errors', () => {
  it('[MQT-11] is JSON of at most 16 KB that tells how much was left out', () => {
    const pointIds = Array.from({ length: 5_000 }, (_, i) => `point-${i}`)
    const text = boundRefusal({ code: 'UNKNOWN_POINTS', pointIds, errors: [1] }, new Map([['pointIds', 90_000]]))
    const { leftOut, ...rest } = JSON.parse(text)
    expect(rest.pointIds.length).toBeGreaterThan(100)
    expect(leftOut).toEqual({ pointIds: 90_000 - rest.pointIds.length })
    expect(rest.errors).toEqual([1])
  })

  it('[MQT-11] stays within its bounds whatever a refusal holds', () => {
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
