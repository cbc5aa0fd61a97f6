import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeChunk, maxBytes, type Samples } from '../storage/chunk-codec.ts'
import { addRun, runsOrNull, type SourceRuns } from './fold-batches.ts'
import { createFoldBuffers } from './fold-buffers.ts'
import { mergePieces, type StoredPiece } from './merge-pieces.ts'

interface Row {
  offset: number
  value: number
  source: string | null
}

const runsOfRows = (rows: readonly Row[]): SourceRuns | null => {
  const runs: SourceRuns = []
  for (const { source } of rows) addRun(runs, source)
  return runsOrNull(runs)
}

function pieceOf(rows: readonly Row[]): StoredPiece {
  const samples: Samples = {
    offsetsMs: Uint32Array.from(rows, ({ offset }) => offset),
    values: Float64Array.from(rows, ({ value }) => value),
  }
  const bytes = new Uint8Array(maxBytes(rows.length))
  return { data: bytes.subarray(0, encodeChunk(samples, bytes, 0)), sources: runsOfRows(rows) }
}

/** What `mergePieces` returns, computed row by row. */
function expected(pieces: readonly Row[][], isFirst: boolean): Row[] {
  const all = new Map<number, Row>()
  for (const row of pieces.flat()) all.set(row.offset, row)
  return [...all.values()].filter(({ value }) => !isFirst || !Number.isNaN(value)).sort((a, b) => a.offset - b.offset)
}

const row = (last: number): fc.Arbitrary<Row> =>
  fc.record({
    offset: fc.integer({ min: 0, max: last }),
    value: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: -50, max: 50 }) }, fc.constant(Number.NaN)),
    source: fc.constantFrom(null, null, 'a', 'b'),
  })
const piece = fc
  .constantFrom(20, 100_000)
  .chain((last) => fc.uniqueArray(row(last), { selector: ({ offset }) => offset, maxLength: 12 }))
  .map((rows) => rows.sort((a, b) => a.offset - b.offset))

describe('mergePieces', () => {
  it('keeps the observation of the latest piece if several pieces have one at the same time', () => {
    const { samples } = createFoldBuffers()
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), fc.boolean(), (pieces, isFirst) => {
        samples.clear()
        const { offsetsMs, values, sources } = mergePieces(pieces.map(pieceOf), isFirst, samples)
        const rows = expected(pieces, isFirst)
        expect([...offsetsMs]).toEqual(rows.map(({ offset }) => offset))
        expect([...values]).toEqual(rows.map(({ value }) => value))
        expect(sources).toEqual(runsOfRows(rows))
      }),
      { numRuns: 2_000 },
    )
  })
})
