import type { Database, Tx } from '@storey/kit/database'
import type { Arena } from '../storage/arena.ts'
import type { Samples } from '../storage/chunk-codec.ts'
import { copyChunks } from '../storage/telemetry.store.ts'
import { countSimilar, firstMerged } from './choose-pieces.ts'
import {
  deleteBatches,
  findUnmerged,
  type LastPieces,
  listMergeable,
  type MergeablePieces,
  type PointDay,
  raiseLatest,
  readFoldable,
  takePieces,
  takeTurn,
} from './compaction.store.ts'
import { type FoldedChunk, foldBatches } from './fold-batches.ts'
import type { FoldBuffers } from './fold-buffers.ts'
import { mergePieces } from './merge-pieces.ts'
import { keyOf, type PieceCounts } from './piece-counts.ts'
import { splitChunks } from './split-chunks.ts'

/** The maximum number of bytes that one transaction folds. Memory use is a small multiple of this. */
const MAX_BATCH_BYTES = 42 * 1024 * 1024
const MAX_DAYS = 1000
/**
 * The maximum number of observations, over all days, that one transaction merges. They take about 12 MB of memory. A
 * single day with more is merged alone.
 */
const MAX_OBSERVATIONS = 250_000

export interface Compacted {
  observations: number
  /**
   * Days to merge now: according to the counts in memory, each has enough pieces (rows of `observation_chunks`).
   * `mergeDays` checks the stored pieces.
   */
  crowded: PointDay[]
}

/**
 * Folds waiting batches into chunks. One transaction deletes the batches and writes the chunks, so that a reader sees
 * each observation once at any time, and a crash changes nothing.
 */
export async function compact(db: Database, counts: PieceCounts, buffers: FoldBuffers): Promise<Compacted> {
  buffers.sorted.clear()
  return db.transaction(async (tx) => {
    if (!(await takeTurn(tx))) return { observations: 0, crowded: [] }
    const batches = await readFoldable(tx, MAX_BATCH_BYTES)
    if (batches.length === 0) return { observations: 0, crowded: [] }
    const parts = batches.flatMap((batch) => batch.parts)
    const { chunks, latest } = foldBatches(parts, (count) => buffers.sorted.take(count))
    await copyChunks(tx, splitChunks(chunks))
    await raiseLatest(tx, latest)
    await deleteBatches(
      tx,
      batches.map(({ id }) => id),
    )
    const crowded = await counts.add(tx, chunks)
    return { observations: parts.reduce((sum, { count }) => sum + count, 0), crowded }
  })
}

/**
 * Merges all days that are over, a few in each step, so that batches can be folded between two steps. Each day is
 * merged once: a day to which a client still adds observations would otherwise be merged again and again.
 */
export async function* mergeClosedDays(db: Database, today: Date, buffers: FoldBuffers): AsyncGenerator<void> {
  for (let after: PointDay | undefined; ; ) {
    const days = await findUnmerged(db, today, { after, max: MAX_DAYS })
    if (days.length === 0) return
    after = days.at(-1)
    const all = (await listMergeable(db, days)).map((day) => mergedOf(day, 0))
    for (const slice of inSlices(all)) {
      await mergeSlice(db, slice, buffers)
      yield
    }
  }
}

/**
 * Merges the last pieces of each of these days that has enough of them. One transaction merges only a few days: under
 * a steady load the days of all points are due at the same time, and merging them together would need more memory than
 * the process has.
 */
export async function mergeDays(
  db: Database,
  days: readonly PointDay[],
  counts: PieceCounts,
  buffers: FoldBuffers,
  isStopping = () => false,
): Promise<void> {
  // A day that `listMergeable` does not return has only full pieces, so none of its pieces counts for a merge.
  for (const day of days) counts.set(day, 0)
  const due: Merged[] = []
  for (const day of await listMergeable(db, days)) {
    const first = firstMerged(day.counts)
    if (first === undefined) counts.set(day, countSimilar(day.counts))
    else due.push(mergedOf(day, first))
  }
  for (const slice of inSlices(due)) {
    if (isStopping()) return
    await mergeSlice(db, slice, buffers)
  }
}

/** The pieces of a day that are merged into one. */
interface Merged extends LastPieces {
  /** Whether these pieces include the first piece of the day. */
  isFirst: boolean
  observations: number
}

function mergedOf({ point, day, sequences, counts, isAfterFull }: MergeablePieces, first: number): Merged {
  const observations = counts.slice(first).reduce((sum, count) => sum + count, 0)
  return { point, day, from: sequences[first]!, isFirst: first === 0 && !isAfterFull, observations }
}

function* inSlices(days: readonly Merged[]): Generator<Merged[]> {
  let slice: Merged[] = []
  let total = 0
  for (const day of days) {
    if (total > 0 && total + day.observations > MAX_OBSERVATIONS) {
      yield slice
      slice = []
      total = 0
    }
    slice.push(day)
    total += day.observations
  }
  if (slice.length > 0) yield slice
}

async function mergeSlice(db: Database, days: readonly Merged[], { samples }: FoldBuffers): Promise<void> {
  samples.clear()
  await db.transaction(async (tx) => {
    if (await takeTurn(tx)) await merge(tx, days, samples)
  })
}

async function merge(tx: Tx, days: readonly Merged[], samples: Arena<Samples>): Promise<void> {
  const first = new Set(days.filter(({ isFirst }) => isFirst).map(keyOf))
  const pieces = await takePieces(tx, days)
  const merged: FoldedChunk[] = []
  for (let from = 0; from < pieces.length; ) {
    const { point, day } = pieces[from]!
    let to = from + 1
    while (to < pieces.length && pieces[to]!.point === point && pieces[to]!.day === day) to++
    const whole = mergePieces(pieces.slice(from, to), first.has(keyOf({ point, day })), samples)
    if (whole.values.length > 0) merged.push({ point, day, ...whole })
    from = to
  }
  await copyChunks(tx, splitChunks(merged))
}
