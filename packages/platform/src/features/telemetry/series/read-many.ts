import type { Database, Tx } from '@storey/kit/database'
import { createYield } from '@storey/kit/yield-to-event-loop'
import { type FoldedChunk, foldBatches } from '../compaction/fold-batches.ts'
import { type Observations, onlyPoints } from '../ingest/observations.ts'
import { firstDayOf, readManyChunks, readWaitingIn } from './many-series.store.ts'
import { clamped, EARLIEST, type Range } from './read-windows.ts'
import { between, type Series } from './series.ts'
import { SeriesWindow } from './window.ts'

const DAY_MS = 86_400_000
/** The maximum number of rows that one statement reads in the range, if each day of a point has one row. */
const MAX_ROWS = 20_000
/** The maximum number of observations of one point: about 8 MB. A point with more is read on its own, in windows. */
const MAX_COUNT = 500_000
/** The maximum number of waiting observations of the points of one statement: about 30 MB. */
const MAX_WAITING = 1_000_000
/** The number of waiting observations that are sorted together. */
const FOLDED_AT_ONCE = 50_000

export interface ReadManyOptions {
  /** Whether the last value before the range is needed. */
  withBefore: boolean
  /** Throws when nobody waits for the result any more. */
  check(): void
}

/**
 * Called with the observations of a point in the range, and the last value before the range: undefined if there is
 * none, or if the caller does not need it.
 */
export type TakeSeries = (point: number, series: Series, before: number | undefined) => void

/**
 * Reads the series of many points with few statements: each covers as many points as the limit of rows allows. Returns
 * the points that have to be read separately, because they have too many observations, or because their last day before
 * the range has only texts.
 */
export async function readMany(
  db: Database,
  points: readonly number[],
  { from, to }: Range,
  options: ReadManyOptions,
  take: TakeSeries,
): Promise<number[]> {
  const range = { from: clamped(from), to: clamped(to) }
  const firstDay = (await firstDayOf(db, points)) ?? range.to
  const days = Math.max(1, Math.ceil((range.to - Math.max(range.from, firstDay)) / DAY_MS) + 1)
  const size = Math.max(1, Math.floor(MAX_ROWS / days))
  const left: number[] = []
  for (let at = 0; at < points.length; at += size) await readGroup(points.slice(at, at + size))
  return left

  async function readGroup(group: readonly number[]): Promise<void> {
    options.check()
    const isRead = await db.snapshot(async (tx) => {
      const waiting = await waitingOf(tx, group, range, options.withBefore)
      if (waiting === undefined) return false
      left.push(...(await readChunks(tx, group, range, waiting, options, take)))
      return true
    })
    if (isRead) return
    if (group.length === 1) return void left.push(...group)
    // Too many observations of these points wait to be folded, so the two halves of the points are read separately.
    await readGroup(group.slice(0, group.length >> 1))
    await readGroup(group.slice(group.length >> 1))
  }
}

async function readChunks(
  tx: Tx,
  group: readonly number[],
  range: Range,
  waiting: ReadonlyMap<number, FoldedChunk[]>,
  { withBefore, check }: ReadManyOptions,
  take: TakeSeries,
): Promise<number[]> {
  const left: number[] = []
  const missing = new Set(group)
  const yieldIfDue = createYield()
  const from = withBefore ? EARLIEST : range.from
  const newWindow = () => new SeriesWindow({ from, to: range.to, max: Number.POSITIVE_INFINITY })
  let window = newWindow()
  let count = 0
  /** The start of the last stored day before the range. */
  let earlierDay: number | undefined

  function finish(point: number): void {
    missing.delete(point)
    for (const { day, sources: _, ...data } of waiting.get(point) ?? []) window.add({ dayStart: day * DAY_MS, data })
    const series = window.series()
    const earlier = withBefore ? between(series, EARLIEST, range.from) : undefined
    // A day may have only texts, which have no history. The last number is then on an unknown earlier day, unless a
    // later number waits to be folded.
    const isBeforeUnknown = earlierDay !== undefined && !(earlier && earlier.times.at(-1)! >= earlierDay)
    if (Math.max(count, series.times.length) > MAX_COUNT || isBeforeUnknown) left.push(point)
    else take(point, between(series, range.from, range.to), earlier?.values.at(-1))
    window = newWindow()
    count = 0
    earlierDay = undefined
  }

  let current: number | undefined
  for await (const chunk of readManyChunks(tx, group, range, withBefore)) {
    if (current !== undefined && chunk.point !== current) {
      finish(current)
      check()
      await yieldIfDue()
    }
    current = chunk.point
    count += chunk.count
    if (withBefore && chunk.dayStart + DAY_MS <= range.from)
      earlierDay = Math.max(earlierDay ?? EARLIEST, chunk.dayStart)
    if (count <= MAX_COUNT) window.add(chunk)
    else window = newWindow()
  }
  if (current !== undefined) finish(current)
  for (const point of missing) {
    finish(point)
    await yieldIfDue()
  }
  return left
}

/** The waiting observations of these points as chunks, oldest first. Undefined: there are too many. */
async function waitingOf(
  tx: Tx,
  points: readonly number[],
  range: Range,
  withBefore: boolean,
): Promise<Map<number, FoldedChunk[]> | undefined> {
  const wanted = new Set(points)
  const within = { from: withBefore ? EARLIEST : range.from, to: range.to }
  const chunks = new Map<number, FoldedChunk[]>()
  const yieldIfDue = createYield()
  let batches: Observations[] = []
  let [count, total] = [0, 0]
  const fold = () => {
    for (const chunk of foldBatches(batches).chunks) {
      const own = chunks.get(chunk.point)
      if (own) own.push(chunk)
      else chunks.set(chunk.point, [chunk])
    }
    batches = []
    count = 0
  }
  let isTooMany = false
  for await (const batch of readWaitingIn(tx, within)) {
    if (isTooMany) continue
    const own = onlyPoints(batch, wanted, within)
    if (own.count > 0) batches.push(own)
    count += own.count
    total += own.count
    isTooMany = total > MAX_WAITING
    if (count >= FOLDED_AT_ONCE) fold()
    await yieldIfDue()
  }
  if (isTooMany) return undefined
  fold()
  return chunks
}
