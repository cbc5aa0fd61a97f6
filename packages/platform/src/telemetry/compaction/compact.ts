import type { Database, Tx } from '@storey/kit/database'
import { readSettings } from '../../settings.store.ts'
import { decodeBatch } from '../batch-codec.ts'
import { decodeChunk, type Samples } from '../chunk-codec.ts'
import { copyChunks } from '../telemetry.store.ts'
import {
  deleteBatches,
  deleteDaysBefore,
  findUnmerged,
  type PieceRow,
  type PointDay,
  raiseLatest,
  readSettled,
  takePieces,
  takeTurn,
} from './compaction.store.ts'
import { addRun, type FoldedChunk, foldBatches, runsOrNull, type SourceRuns } from './fold-batches.ts'
import type { PieceCounts } from './piece-counts.ts'

/** Folded in one transaction: what is in memory meanwhile is a small multiple. */
const MOST_BYTES_AT_ONCE = 16 * 1024 * 1024
/** A day of a point is put together when it lies in so many pieces. */
const CROWDED = 16
const MOST_DAYS = 1000

/**
 * Folds what waits into chunks: in one transaction the batches go and the chunks come, so that a reader sees each
 * observation once, whenever it looks, and a crash at any moment changes nothing. Tells how many it folded.
 */
export async function compact(db: Database, counts: PieceCounts): Promise<number> {
  return db.transaction(async (tx) => {
    if (!(await takeTurn(tx))) return 0
    const batches = await readSettled(tx, MOST_BYTES_AT_ONCE)
    if (batches.length === 0) return 0
    const decoded = batches.map(({ data }) => decodeBatch(data))
    const { chunks, latest } = foldBatches(decoded)
    await copyChunks(tx, chunks)
    await raiseLatest(tx, latest)
    await deleteBatches(
      tx,
      batches.map(({ id }) => id),
    )
    await merge(tx, await counts.add(tx, chunks, CROWDED))
    return decoded.reduce((sum, { count }) => sum + count, 0)
  })
}

/** Puts days together that are over. Tells how many. */
export async function mergeClosedDays(db: Database, today: Date): Promise<number> {
  return db.transaction(async (tx) => {
    if (!(await takeTurn(tx))) return 0
    const days = await findUnmerged(tx, today, MOST_DAYS)
    await merge(tx, days)
    return days.length
  })
}

const DAY_MS = 86_400_000

/** Lets days go that are older than the tenant wants to keep. A day of a point is one row, so this is quick. */
export async function forget(db: Database, now: Date): Promise<number> {
  const { telemetryRetentionDays: days } = await readSettings(db)
  if (days === null) return 0
  const first = new Date(now.getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10)
  return deleteDaysBefore(db, first)
}

async function merge(tx: Tx, days: readonly PointDay[]): Promise<void> {
  if (days.length === 0) return
  const pieces = await takePieces(tx, days)
  const merged: FoldedChunk[] = []
  for (let from = 0; from < pieces.length; ) {
    const { point, day } = pieces[from]!
    let to = from + 1
    while (to < pieces.length && pieces[to]!.point === point && pieces[to]!.day === day) to++
    const whole = putTogether(pieces.slice(from, to))
    if (whole.values.length > 0) merged.push({ point, day, ...whole })
    from = to
  }
  await copyChunks(tx, merged)
}

/** All pieces in one, the later ones counting; what left the history is not written again. */
function putTogether(pieces: readonly PieceRow[]): Omit<FoldedChunk, 'point' | 'day'> {
  const decoded = pieces.map(({ data, sources }) => ({ ...decodeChunk(data), sources }))
  return inOrder(decoded) ? joined(decoded) : laidOver(decoded)
}

type Piece = Samples & { sources: SourceRuns | null }

/** Observations come as time goes by: as a rule each piece begins where the one before it ended. */
function inOrder(pieces: readonly Piece[]): boolean {
  let last = -1
  for (const { offsetsMs, values } of pieces) {
    if (offsetsMs.length > 0 && offsetsMs[0]! <= last) return false
    last = offsetsMs.at(-1) ?? last
    for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) return false
  }
  return true
}

function joined(pieces: readonly Piece[]): Omit<FoldedChunk, 'point' | 'day'> {
  const count = pieces.reduce((sum, { values }) => sum + values.length, 0)
  const [offsetsMs, values] = [new Uint32Array(count), new Float64Array(count)]
  const runs: SourceRuns = []
  let at = 0
  for (const piece of pieces) {
    offsetsMs.set(piece.offsetsMs, at)
    values.set(piece.values, at)
    at += piece.values.length
    for (const [length, source] of piece.sources ?? [[piece.values.length, null] as const]) addRun(runs, source, length)
  }
  return { offsetsMs, values, sources: runsOrNull(runs) }
}

function laidOver(pieces: readonly Piece[]): Omit<FoldedChunk, 'point' | 'day'> {
  const all = new Map<number, { value: number; source: string | null }>()
  for (const { offsetsMs, values, sources } of pieces) {
    const each = sources?.flatMap(([count, source]) => Array<string | null>(count).fill(source))
    for (const [i, offset] of offsetsMs.entries()) all.set(offset, { value: values[i]!, source: each?.[i] ?? null })
  }
  const kept = [...all].filter(([, { value }]) => !Number.isNaN(value)).sort(([a], [b]) => a - b)
  const runs: SourceRuns = []
  for (const [, { source }] of kept) addRun(runs, source)
  return {
    offsetsMs: Uint32Array.from(kept, ([offset]) => offset),
    values: Float64Array.from(kept, ([, { value }]) => value),
    sources: runsOrNull(runs),
  }
}
