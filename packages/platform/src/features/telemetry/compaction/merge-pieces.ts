import type { Arena } from '../storage/arena.ts'
import { countOf, decodeChunk, type Samples } from '../storage/chunk-codec.ts'
import { addRun, type FoldedChunk, runsOrNull, type SourceRuns } from './fold-batches.ts'
import { partOfSamples } from './fold-buffers.ts'

/** A piece: a row of `observation_chunks`, with some of the observations of a point and a day. */
export interface StoredPiece {
  data: Uint8Array
  sources: SourceRuns | null
}

/** Observations of one day, each with the number of its source. `sources` is null if no observation has a source. */
interface Rows extends Samples {
  sources: Uint32Array | null
}

/**
 * Merges all pieces, oldest first, into one. Of two observations at the same time, the one in the later piece is kept.
 * NaN, which stands for a text, is dropped if these pieces include the first piece of the day (`isFirst`). Otherwise it
 * is kept, since an earlier piece that is not merged could have a number at the same time.
 */
export function mergePieces(
  pieces: readonly StoredPiece[],
  isFirst: boolean,
  samples: Arena<Samples>,
): Omit<FoldedChunk, 'point' | 'day'> {
  const all = samples.take(pieces.reduce((sum, { data }) => sum + countOf(data), 0))
  const ends: number[] = []
  const next = (count: number) => {
    const from = ends.at(-1) ?? 0
    ends.push(from + count)
    return partOfSamples(all, from, from + count)
  }
  for (const { data } of pieces) decodeChunk(data, next)
  const names = new Map<string | null, number>()
  const rows: Rows = { ...all, sources: numbersOfSources(pieces, ends, names) }
  const merged = overlaid(ascendingParts(rows, ends))
  const { sources, ...kept } = isFirst ? withoutTexts(merged) : merged
  return { ...kept, sources: sources && runsOf(sources, [...names.keys()]) }
}

function numbersOfSources(
  pieces: readonly StoredPiece[],
  ends: readonly number[],
  names: Map<string | null, number>,
): Uint32Array | null {
  if (pieces.every(({ sources }) => sources === null)) return null
  const numbers = new Uint32Array(ends.at(-1) ?? 0)
  for (const [i, { sources }] of pieces.entries()) {
    let at = ends[i - 1] ?? 0
    for (const [count, name] of sources ?? [[ends[i]! - at, null] as const]) {
      if (!names.has(name)) names.set(name, names.size)
      numbers.fill(names.get(name)!, at, at + count)
      at += count
    }
  }
  return numbers
}

function runsOf(numbers: Uint32Array, names: readonly (string | null)[]): SourceRuns | null {
  const runs: SourceRuns = []
  for (let from = 0, to = 1; from < numbers.length; from = to++) {
    while (to < numbers.length && numbers[to] === numbers[from]) to++
    addRun(runs, names[numbers[from]!]!, to - from)
  }
  return runsOrNull(runs)
}

/** Splits the observations of consecutive pieces into parts, usually one, each in ascending order of time. */
function ascendingParts(rows: Rows, ends: readonly number[]): Rows[] {
  const { offsetsMs } = rows
  const parts: Rows[] = []
  let from = 0
  for (const start of ends) {
    if (start === from || (start < offsetsMs.length && offsetsMs[start]! > offsetsMs[start - 1]!)) continue
    parts.push(partOf(rows, from, start))
    from = start
  }
  return parts
}

/**
 * Merges parts, oldest first: each half by itself, and then the two results. If parts were merged one after another,
 * an observation would be copied once for every later part.
 */
function overlaid(parts: readonly Rows[]): Rows {
  if (parts.length === 0) return { offsetsMs: new Uint32Array(), values: new Float64Array(), sources: null }
  if (parts.length === 1) return parts[0]!
  const middle = parts.length >>> 1
  return overlay(overlaid(parts.slice(0, middle)), overlaid(parts.slice(middle)))
}

function overlay(earlier: Rows, later: Rows): Rows {
  const [earlierCount, laterCount] = [earlier.values.length, later.values.length]
  const merged = newRows(earlierCount + laterCount, earlier.sources !== null)
  let [e, l, count] = [0, 0, 0]
  for (; e < earlierCount || l < laterCount; count++) {
    const [early, late] = [earlier.offsetsMs[e], later.offsetsMs[l]]
    const isLater = early === undefined || (late !== undefined && late <= early)
    copyRow(isLater ? later : earlier, isLater ? l : e, merged, count)
    if (isLater) {
      if (late === early) e++
      l++
    } else e++
  }
  return partOf(merged, 0, count)
}

function withoutTexts(rows: Rows): Rows {
  if (!rows.values.some(Number.isNaN)) return rows
  const kept = newRows(rows.values.length, rows.sources !== null)
  let count = 0
  for (let i = 0; i < rows.values.length; i++) if (!Number.isNaN(rows.values[i])) copyRow(rows, i, kept, count++)
  return partOf(kept, 0, count)
}

const newRows = (count: number, hasSources: boolean): Rows => ({
  offsetsMs: new Uint32Array(count),
  values: new Float64Array(count),
  sources: hasSources ? new Uint32Array(count) : null,
})

function partOf(rows: Rows, from: number, to: number): Rows {
  return { ...partOfSamples(rows, from, to), sources: rows.sources?.subarray(from, to) ?? null }
}

function copyRow(from: Rows, i: number, to: Rows, at: number): void {
  to.offsetsMs[at] = from.offsetsMs[i]!
  to.values[at] = from.values[i]!
  if (to.sources !== null) to.sources[at] = from.sources![i]!
}
