import { addRun, type FoldedChunk, runsOrNull, type SourceRuns } from './fold-batches.ts'

/** A piece (a row of `observation_chunks`) with this many observations is full: it is not merged with later pieces. */
export const FULL_PIECE = 50_000

/** Splits chunks so that each fits into a row: a point observed every millisecond has a gigabyte a day. */
export function* splitChunks(chunks: Iterable<FoldedChunk>): Generator<FoldedChunk> {
  for (const chunk of chunks) {
    const { length } = chunk.values
    if (length <= FULL_PIECE) yield chunk
    else
      for (let from = 0; from < length; from += FULL_PIECE)
        yield partOf(chunk, from, Math.min(length, from + FULL_PIECE))
  }
}

function partOf(chunk: FoldedChunk, from: number, to: number): FoldedChunk {
  return {
    ...chunk,
    offsetsMs: chunk.offsetsMs.subarray(from, to),
    values: chunk.values.subarray(from, to),
    sources: chunk.sources && runsOrNull(runsBetween(chunk.sources, from, to)),
  }
}

function runsBetween(runs: SourceRuns, from: number, to: number): SourceRuns {
  const part: SourceRuns = []
  let start = 0
  for (const [count, source] of runs) {
    const inside = Math.min(to, start + count) - Math.max(from, start)
    if (inside > 0) addRun(part, source, inside)
    start += count
  }
  return part
}
