import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeChunk, maxBytes } from '../storage/chunk-codec.ts'
import { aggregate } from '../testing.ts'
import { bucketsOf } from './buckets.ts'
import { SeriesWindow } from './window.ts'

const DAY_MS = 86_400_000

function chunk(day: number, samples: [number, number][]) {
  const sorted = [...new Map(samples)].sort(([a], [b]) => a - b)
  const target = new Uint8Array(maxBytes(sorted.length))
  const offsetsMs = Uint32Array.from(sorted, ([offset]) => offset)
  const end = encodeChunk({ offsetsMs, values: Float64Array.from(sorted, ([, value]) => value) }, target, 0)
  return { dayStart: day * DAY_MS, data: target.subarray(0, end), sorted }
}

const samples = fc.array(
  fc.tuple(
    fc.nat(50).map((n) => n * 1000),
    fc.integer({ min: -99, max: 99 }),
  ),
  { maxLength: 20 },
)

describe('the windows of a range', () => {
  const days = fc.array(fc.tuple(fc.nat(3), samples), { maxLength: 8 })
  const bounds = fc.tuple(fc.nat(4 * DAY_MS), fc.nat(4 * DAY_MS))

  it('together equal a plain map of time to value, for any chunks, and each has at most twice `max` observations', () => {
    fc.assert(
      fc.property(days, bounds, fc.integer({ min: 1, max: 60 }), (parts, [a, b], max) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const chunks = parts.map(([day, of]) => chunk(day, of))
        const expected = new Map<number, number>()
        for (const { dayStart, sorted } of chunks)
          for (const [offset, value] of sorted) expected.set(dayStart + offset, value)
        const inRange = [...expected].filter(([at]) => at >= from && at < to).sort(([x], [y]) => x - y)
        const read: [number, number][] = []
        for (let start = from; start < to; ) {
          const window = new SeriesWindow({ from: start, to, max })
          // The sort is stable, so chunks of a day stay in the order of arrival.
          for (const each of chunks.toSorted((x, y) => x.dayStart - y.dayStart)) window.add(each)
          const { times, values } = window.series()
          expect(times.length).toBeLessThanOrEqual(2 * max)
          read.push(...Array.from(times, (at, i): [number, number] => [at, values[i]!]))
          start = window.to
        }
        expect(read).toEqual(inRange)
      }),
    )
  })
})

describe('aggregate', () => {
  const series = {
    times: Float64Array.from([0, 60_000, 119_999, 120_000, 300_000]),
    values: Float64Array.from([1, 2, 6, -4, 10]),
  }
  it.each([
    ['avg', [3, -4, 10]],
    ['sum', [9, -4, 10]],
    ['min', [1, -4, 10]],
    ['max', [6, -4, 10]],
    ['count', [3, 1, 1]],
    ['last', [6, -4, 10]],
  ] as const)('[HIS-07] gives the %s of each bucket with observations', (aggregation, expected) => {
    const buckets = aggregate(series, aggregation, bucketsOf('2m', 'UTC'))
    expect(buckets.map(({ value }) => value)).toEqual(expected)
    expect(buckets.map(({ start }) => start)).toEqual([0, 120_000, 240_000])
    expect(buckets.map(({ count }) => count)).toEqual([3, 1, 1])
  })

  it('adds tenths exactly', () => {
    const times = Float64Array.from({ length: 10_000 }, (_, i) => i)
    const values = new Float64Array(10_000).fill(0.1)
    expect(aggregate({ times, values }, 'sum', bucketsOf('1h', 'UTC'))[0]!.value).toBe(1000)
  })
})
