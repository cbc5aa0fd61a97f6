import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Observations } from '../ingest/observations.ts'
import { foldBatches } from './fold-batches.ts'
import { createFoldBuffers } from './fold-buffers.ts'

const DAY_MS = 86_400_000

interface Row {
  point: number
  time: number
  value: number | string
  source: string | null
}

function batchOf(rows: readonly Row[]): Observations {
  const sourceNames = [...new Set(rows.flatMap(({ source }) => source ?? []))]
  const texts = rows.flatMap(({ value }, i): [number, string][] => (typeof value === 'string' ? [[i, value]] : []))
  return {
    count: rows.length,
    points: Int32Array.from(rows, ({ point }) => point),
    times: Float64Array.from(rows, ({ time }) => time),
    values: Float64Array.from(rows, ({ value }) => (typeof value === 'string' ? Number.NaN : value)),
    texts: new Map(texts),
    sources: sourceNames.length > 0 ? Uint16Array.from(rows, ({ source }) => sourceNames.indexOf(source!) + 1) : null,
    sourceNames,
  }
}

/**
 * The rows that are stored, in order of point and time. Of several rows with the same point and time, the last to
 * arrive is stored.
 */
function expected(rows: readonly Row[]): Row[] {
  const last = new Map(rows.map((row) => [`${row.point} ${row.time}`, row]))
  return [...last.values()].sort((a, b) => a.point - b.point || a.time - b.time)
}

/** `foldedRows` reuses this buffer, as the compaction thread does, so it still has observations of earlier folds. */
const { sorted } = createFoldBuffers()

function foldedRows(batches: readonly Observations[]): Omit<Row, 'value'>[] {
  sorted.clear()
  return foldBatches(batches, (count) => sorted.take(count)).chunks.flatMap(
    ({ point, day, offsetsMs, values, sources }) => {
      const each = sources?.flatMap(([count, source]) => Array<string | null>(count).fill(source))
      return Array.from(values, (value, i) => ({
        point,
        time: day * DAY_MS + offsetsMs[i]!,
        value,
        source: each?.[i] ?? null,
      }))
    },
  )
}

const row = (value: fc.Arbitrary<number | string>, source: fc.Arbitrary<string | null>): fc.Arbitrary<Row> =>
  fc.record({ point: fc.integer({ min: 1, max: 6 }), time: fc.integer({ min: -DAY_MS, max: 3 }), value, source })
const number = fc.integer({ min: -500, max: 500 }).map((tenths) => tenths / 10)
const plain = row(number, fc.constant(null))
const any = row(fc.oneof(number, fc.constantFrom('on', 'off')), fc.constantFrom('a', 'b', null))

describe('folding batches', () => {
  it.each([
    ['numbers', plain],
    ['texts and sources', any],
  ])('keeps the observation that arrived last for each point and time, with %s', (_name, rows) => {
    const batches = fc.array(fc.array(rows, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(batches, (stored) => {
        const kept = expected(stored.flat())
        const encoded = stored.map(batchOf)
        const asNumbers = kept.map((each) => ({
          ...each,
          value: typeof each.value === 'string' ? Number.NaN : each.value,
        }))
        expect(foldedRows(encoded)).toEqual(asNumbers)
        const latest = new Map(kept.map(({ point, time, value, source }) => [point, { time, value, source }]))
        expect(foldBatches(encoded).latest).toEqual(
          Array.from(latest, ([point, { time, value, source }]) => ({
            point,
            atMs: time,
            value: String(value),
            source,
          })),
        )
      }),
    )
  })

  it('creates a chunk for each day of a point', () => {
    const rows = [-1, 0, DAY_MS - 1, DAY_MS].map((time) => ({ point: 9, time, value: 1, source: null }))
    const { chunks } = foldBatches([batchOf(rows)])
    expect(chunks.map(({ day, offsetsMs }) => [day, [...offsetsMs]])).toEqual([
      [-1, [DAY_MS - 1]],
      [0, [0, DAY_MS - 1]],
      [1, [0]],
    ])
    expect(foldBatches([])).toEqual({ chunks: [], latest: [] })
  })
})
