import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyObservations, type Observations } from '../ingest/observations.ts'
import { encodePart } from './batch-codec.ts'
import { decodeBatch, openBatch } from './read-batch.ts'

const value = fc.oneof(
  fc.integer({ min: -500, max: 500 }).map((tenths) => tenths / 10),
  fc.integer().map((n) => n / 1_000),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: 0, max: 500 }).map((n) => 400_000_000_000_000 + n / 16),
  fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: false, min: -(2 ** 60), max: 2 ** 60 }).map(Math.round),
  fc.constant(Number.NaN),
)
const time = fc.oneof(
  fc.constant(1_700_000_000_000),
  fc.integer({ min: 1_700_000_000, max: 1_700_000_300 }).map((seconds) => seconds * 1000),
  fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
)
const point = fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 2 ** 31 - 1 }))

/** A column that repeats one number, and so takes few bytes when encoded, or a column of any numbers. */
const columnOf = (numbers: fc.Arbitrary<number>[], count: number) =>
  fc
    .oneof(...numbers)
    .chain((one) => fc.constantFrom(fc.constant(one), ...numbers, fc.oneof(...numbers)))
    .chain((any) => fc.array(any, { minLength: count, maxLength: count }))

function observationsOf(values: number[], points: number[], times: number[], texts: [number, string][]): Observations {
  const columns = emptyObservations(values.length + 2)
  columns.count = values.length
  columns.values.set(values)
  columns.points.set(points)
  columns.times.set(times)
  columns.texts = new Map(texts)
  return columns
}

/** Encodes a batch in the first format: values as doubles, point numbers, and times as offsets from the first time. */
function inFirstFormat({ count, values, points, times }: Observations): Buffer {
  const data = Buffer.alloc(16 + count * 16)
  data.writeUInt32LE(count, 0)
  data.writeUInt32LE(1, 4)
  data.writeDoubleLE(times[0]!, 8)
  for (let i = 0; i < count; i++) {
    data.writeDoubleLE(values[i]!, 16 + i * 8)
    data.writeInt32LE(points[i]!, 16 + count * 8 + i * 4)
    data.writeInt32LE(times[i]! - times[0]!, 16 + count * 12 + i * 4)
  }
  return data
}

/** Encodes a batch in the second format, here with values and times as doubles, and with texts as JSON. */
function inSecondFormat({ count, values, points, times, texts }: Observations): Buffer {
  const rest = Buffer.from(JSON.stringify({ texts: [...texts] }))
  const data = Buffer.alloc(40 + count * 20)
  data.writeUInt32LE(count, 0)
  data.set([2, 4, 3, 4], 4)
  for (let i = 0; i < count; i++) {
    data.writeDoubleLE(values[i]!, 40 + i * 8)
    data.writeUInt32LE(points[i]!, 40 + count * 8 + i * 4)
    data.writeDoubleLE(times[i]!, 40 + count * 12 + i * 8)
  }
  return Buffer.concat([data, rest])
}

function only<T>(all: T[]): T {
  expect(all).toHaveLength(1)
  return all[0]!
}

function expectSame(decoded: Observations, original: Observations): void {
  const { count } = original
  expect(decoded.count).toBe(count)
  // Adding 0 turns -0 into 0: the sign of zero is not kept.
  expect(Array.from(decoded.values, (v) => v + 0)).toEqual(Array.from(original.values.subarray(0, count), (v) => v + 0))
  expect([...decoded.points]).toEqual([...original.points.subarray(0, count)])
  expect([...decoded.times]).toEqual([...original.times.subarray(0, count)])
  expect(decoded.texts).toEqual(original.texts)
}

describe('a batch', () => {
  it('decodes to what was encoded, wherever it lies in memory', () => {
    const batch = fc
      .integer({ min: 1, max: 40 })
      .chain((count) =>
        fc.tuple(
          columnOf([value], count),
          columnOf([point], count),
          columnOf([time], count),
          fc.array(fc.tuple(fc.nat(count - 1), fc.string()), { maxLength: 3 }),
          fc.nat(7),
        ),
      )
    fc.assert(
      fc.property(batch, ([values, points, times, texts, shift]) => {
        const original = observationsOf(values, points, times, texts)
        const data = encodePart(original)
        const moved = Buffer.alloc(data.length + shift)
        data.copy(moved, shift)
        expectSame(only(decodeBatch(moved.subarray(shift))), original)
      }),
      { numRuns: 500 },
    )
  })

  it('of several parts decodes to all of them, in their order', () => {
    const rows = fc.array(fc.tuple(value, point, time, fc.boolean()), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(fc.array(rows, { minLength: 1, maxLength: 5 }), (parts) => {
        const originals = parts.map((part) =>
          observationsOf(
            part.map(([number]) => number),
            part.map(([, number]) => number),
            part.map(([, , at]) => at),
            part.flatMap(([, , , isText], i) => (isText ? [[i, `text ${i}`]] : [])),
          ),
        )
        const decoded = decodeBatch(Buffer.concat(originals.map(encodePart)))
        expect(decoded).toHaveLength(originals.length)
        for (const [i, original] of originals.entries()) expectSame(decoded[i]!, original)
      }),
    )
  })

  it('has the same columns with `openBatch`, whose parts share arrays, as with `decodeBatch`', () => {
    const pair = fc.array(fc.array(fc.tuple(value, point, time), { minLength: 1, maxLength: 40 }), {
      minLength: 2,
      maxLength: 2,
    })
    fc.assert(
      fc.property(pair, fc.boolean(), (rows, hasText) => {
        const texts: [number, string][] = hasText ? [[0, 'on']] : []
        const [one, other] = rows.map((each) =>
          encodePart(
            observationsOf(
              each.map(([number]) => (hasText || Number.isNaN(number) ? 1 : number)),
              each.map(([, number]) => number),
              each.map(([, , at]) => at),
              texts,
            ),
          ),
        ) as [Buffer, Buffer]
        const open = openBatch(Buffer.concat([one, other]))
        const decoded = [one, other].flatMap(decodeBatch)
        for (const column of ['points', 'times', 'values'] as const) {
          for (const i of [0, 1, 0]) expect([...open[i]![column]]).toEqual([...decoded[i]![column]])
        }
        for (const i of [0, 1]) expect(open[i]!.texts).toEqual(decoded[i]!.texts)
      }),
    )
  })

  it('has columns of its own length with `openBatch`, however long the batches before it were', () => {
    const longest = observationsOf(
      Array.from({ length: 10_000 }, (_, i) => i),
      Array.from({ length: 10_000 }, (_, i) => i),
      Array.from({ length: 10_000 }, () => 0),
      [],
    )
    const short = observationsOf([1], [2], [3], [])
    for (const batch of [short, longest, short]) {
      expect(only(openBatch(encodePart(batch))).points).toEqual(batch.points.subarray(0, batch.count))
    }
  })

  it('takes a few bytes per observation if its numbers are close to each other', () => {
    const numbers = Array.from({ length: 1000 }, (_, i) => i)
    const same = numbers.map(() => 1_700_000_000_000)
    const near = observationsOf(
      numbers.map((i) => 18 + (i % 80) / 10),
      numbers,
      same,
      [],
    )
    expect(encodePart(near).length).toBeLessThan(1000 + 100)
    const far = observationsOf(
      numbers.map((i) => i / 7),
      numbers.map((i) => i * 100),
      numbers.map((i) => i * 1001),
      [],
    )
    expect(encodePart(far).length).toBeLessThan(16 * 1000 + 100)
  })

  it('in the format of an earlier version is read, because it may have waited to be folded during an upgrade', () => {
    const original = observationsOf(
      [21.5, -3, 1e300],
      [7, 2, 9],
      [1_700_000_000_123, 1_700_000_000_000, 1_700_000_060_000],
      [],
    )
    for (const data of [inFirstFormat(original), inSecondFormat(original)])
      expectSame(only(decodeBatch(data)), original)
  })
})
