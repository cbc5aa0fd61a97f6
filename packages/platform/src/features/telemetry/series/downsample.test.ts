import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inWindows } from '../testing.ts'
import { sample } from './downsample.ts'

const series = (values: readonly number[], step = 300_000) => ({
  times: Float64Array.from(values, (_, i) => Date.UTC(2026, 0) + i * step),
  values: Float64Array.from(values),
})
const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 200 })

/** The indexes of the chosen rows. With a small `maxKept` the rows are read several times. */
async function choose(values: readonly number[], max: number, maxKept?: number, windowSize = 50): Promise<number[]> {
  const all = series(values)
  async function* read() {
    yield* inWindows(all, windowSize)
  }
  const { series: chosen, sampledFrom } = await sample(read, max, maxKept)
  expect(sampledFrom).toBe(values.length)
  return Array.from(chosen.times, (at) => all.times.indexOf(at))
}

/** A simple implementation of the published algorithm, Largest Triangle Three Buckets, to compare with. */
function plain(values: readonly number[], max: number): number[] {
  const size = (values.length - 2) / (max - 2)
  const part = (n: number) =>
    values.flatMap((value, i) => (i > n * size && i <= (n + 1) * size && i < values.length - 1 ? [{ i, value }] : []))
  const parts = Array.from({ length: max - 2 }, (_, n) => part(n))
  const last = { i: values.length - 1, value: values.at(-1)! }
  let chosen = { i: 0, value: values[0]! }
  const rows = [0]
  for (const [n, rowsOfPart] of parts.entries()) {
    const next = parts[n + 1] ?? [last]
    const mean = (of: (row: typeof last) => number) => next.reduce((sum, row) => sum + of(row), 0) / next.length
    const [x, y] = [mean(({ i }) => i), mean(({ value }) => value)]
    const before = chosen
    const area = ({ i, value }: typeof last) =>
      Math.abs(before.i * (value - y) + i * (y - before.value) + x * (before.value - value)) / 2
    chosen = rowsOfPart.reduce((best, row) => (area(row) > area(best) + 1e-9 ? row : best))
    rows.push(chosen.i)
  }
  return [...rows, last.i]
}

describe('downsampled rows', () => {
  it('[HIS-21] are ascending, as many as requested or all if there are fewer, and include the first and the last row', async () => {
    await fc.assert(
      fc.asyncProperty(numbers, fc.integer({ min: 3, max: 60 }), async (values, max) => {
        const rows = await choose(values, max)
        expect(rows).toHaveLength(Math.min(values.length, max))
        expect(rows.every((row, i) => i === 0 || row > rows[i - 1]!)).toBe(true)
        if (values.length === 0) return
        expect(rows[0]).toBe(0)
        expect(rows.at(-1)).toBe(values.length - 1)
      }),
    )
  })

  it('[HIS-21] are those of the published algorithm', async () => {
    const walks = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 30, maxLength: 200 })
    // All parts have the same number of rows, so that both implementations split the rows in the same way. Square roots
    // are added to the values, so that no two triangles are equal.
    await fc.assert(
      fc.asyncProperty(walks, fc.constantFrom(4, 7, 12), async (walk, parts) => {
        const length = Math.floor((walk.length - 2) / parts) * parts + 2
        const values = walk.slice(0, length).map((value, i) => value + Math.sqrt(i + 2))
        expect(await choose(values, parts + 2)).toEqual(plain(values, parts + 2))
      }),
    )
  })

  it('[HIS-21] keep a spike on a flat line, wherever it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 10, max: 500 }),
        fc.integer({ min: 3, max: 9 }),
        fc.nat(499),
        fc.constantFrom(-40, 40),
        async (length, max, at, height) => {
          const spike = at % length
          const values = Array.from({ length }, (_, i) => (i === spike ? height : 0))
          expect(await choose(values, max)).toContain(spike)
        },
      ),
    )
  })

  it('[HIS-21] are the same when there are too many rows to keep in memory', async () => {
    await fc.assert(
      fc.asyncProperty(
        numbers,
        fc.integer({ min: 3, max: 20 }),
        fc.integer({ min: 1, max: 30 }),
        async (values, max, size) => {
          expect(await choose(values, max, max, size)).toEqual(await choose(values, max))
        },
      ),
    )
  })
})
