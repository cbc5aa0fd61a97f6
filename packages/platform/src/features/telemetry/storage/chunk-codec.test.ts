import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeChunk, encodeChunk, maxBytes, type Samples } from './chunk-codec.ts'

function pack(samples: Samples): Uint8Array {
  const target = new Uint8Array(maxBytes(samples.values.length) + 3)
  return target.subarray(3, encodeChunk(samples, target, 3))
}

const samplesOf = (offsets: number[], values: number[]): Samples => ({
  offsetsMs: Uint32Array.from(offsets),
  values: Float64Array.from(values),
})

const offsets = fc.oneof(
  fc.uniqueArray(fc.nat(86_399_999), { maxLength: 200 }).map((times) => times.sort((a, b) => a - b)),
  fc
    .tuple(fc.nat(1_000), fc.integer({ min: 1, max: 300_000 }), fc.nat(288))
    .map(([first, step, count]) => Array.from({ length: count }, (_, i) => first + i * step)),
)
const value = fc.oneof(
  fc.integer({ min: -500, max: 500 }).map((tenths) => tenths / 10),
  fc.integer().map((n) => n / 1_000),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constant(21.5),
)

describe('a chunk', () => {
  it('decodes to what was encoded, except the sign of zero, and never exceeds its maximum size', () => {
    const samples = offsets.chain((times) =>
      fc.tuple(fc.constant(times), fc.array(value, { minLength: times.length, maxLength: times.length })),
    )
    fc.assert(
      fc.property(samples, ([times, values]) => {
        const bytes = pack(samplesOf(times, values))
        expect(bytes.length).toBeLessThanOrEqual(maxBytes(values.length))
        const decoded = decodeChunk(bytes)
        expect([...decoded.offsetsMs]).toEqual(times)
        // Adding 0 turns -0 into 0: the codec does not keep the sign of zero.
        expect(Array.from(decoded.values, (v) => v + 0)).toEqual(values.map((v) => v + 0))
      }),
      { numRuns: 500 },
    )
  })

  it('takes about a byte per changed value, and almost nothing for a constant', () => {
    const times = Array.from({ length: 288 }, (_, i) => i * 300_000)
    const sensor = samplesOf(
      times,
      times.map((_, i) => Math.round(210 + 15 * Math.sin(i / 40)) / 10),
    )
    expect(pack(sensor).length).toBeLessThan(300)
    expect(
      pack(
        samplesOf(
          times,
          times.map(() => 21.5),
        ),
      ).length,
    ).toBeLessThan(12)
  })
})
