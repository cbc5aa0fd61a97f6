import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBucketGrid } from './bucket-grid.ts'
import { bucketsOf } from './buckets.ts'
import { offsetsOf, rememberOffsets } from './zone.ts'

describe('the calendar of a time zone', () => {
  it('has the offsets of the runtime, from the year 1 to the year 9999', () => {
    const zones = Intl.supportedValuesOf('timeZone').map((name) => {
      const exact = offsetsOf(name)
      return { exact, remembered: rememberOffsets(exact) }
    })
    const years = fc.oneof(fc.constantFrom([1, 9998], [1830, 2100], [1970, 2040]))
    const instants = years.chain(([from, to]) =>
      fc.integer({ min: new Date(0).setUTCFullYear(from!), max: Date.UTC(to!, 11, 31) }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, ({ exact, remembered }, instant) => {
        expect(remembered(instant)).toBe(exact(instant))
      }),
      { numRuns: 3_000 },
    )
  })

  it('reads few offsets for times before 1800, and for days that are a multiple of 400 years after known days', () => {
    let count = 0
    const exact = offsetsOf('Europe/Berlin')
    const offsetAt = rememberOffsets((instant) => {
      count++
      return exact(instant)
    })
    const eachDay = (from: string, to: string) => {
      for (let instant = Date.parse(from); instant < Date.parse(to); instant += 86_400_000) offsetAt(instant)
    }
    eachDay('0001-01-01', '1800-01-01')
    expect(count).toBe(2)
    eachDay('2130-01-01', '2140-01-01')
    const once = count
    eachDay('2530-01-01', '2540-01-01')
    eachDay('9730-01-01', '9740-01-01')
    // The runtime is asked only on the two days of a year on which the offset changes.
    expect(count - once).toBe(2 * 10 * 2)
  })

  it('[HIS-28] is not calculated any further when nobody waits for it', async () => {
    const range = { from: Date.parse('0001-01-01'), to: Date.parse('2738-01-01') }
    let checks = 0
    const check = () => {
      if (++checks === 3) throw new Error('nobody waits')
    }
    const grid = createBucketGrid(bucketsOf('1d', 'Europe/Berlin'), range, 1_000_000, check)
    await expect(grid).rejects.toThrow('nobody waits')
    expect(checks).toBe(3)
  })
})
