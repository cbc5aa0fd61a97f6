import { addRun, type FoldedChunk, runsOrNull, type SourceRuns } from './fold-batches.ts'

/** A piece of a day that holds so many observations is whole: it is not read again to put more to it. */
export const WHOLE = 50_000

/** Chunks that one row can hold: a point may be observed every millisecond, and a day of it would be a gigabyte. */
export function* inRows(chunks: Iterable<FoldedChunk>): Generator<FoldedChunk> {
  for (const chunk of chunks) {
    const { length } = chunk.values
    if (length <= WHOLE) yield chunk
    else for (let from = 0; from < length; from += WHOLE) yield partOf(chunk, from, Math.min(length, from + WHOLE))
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
