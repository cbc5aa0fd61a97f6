import fc from 'fast-check'
import { expect, it } from 'vitest'
import { aggregate, inWindows } from '../testing.ts'
import { bucketsOf } from './buckets.ts'
import { medianOfMany } from './median-of-many.ts'

it('[HIS-17] medianOfMany returns the median of a series with more values than may be sorted at once', async () => {
  const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(-1, 0, 1, 20.5, 20.6))
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      async (drawn, max) => {
        const series = { times: Float64Array.from(drawn, (_, i) => i), values: Float64Array.from(drawn) }
        async function* read() {
          yield* inWindows(series, 7)
        }
        const [whole] = aggregate(series, 'median', bucketsOf('1h', 'UTC'))
        // Adding 0 turns -0 into 0: the sign of zero does not matter here.
        expect((await medianOfMany(read, max)) + 0).toBe(whole!.value + 0)
      },
    ),
    { numRuns: 80 },
  )
})
