import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, readMigrations, sql } from '@storey/kit/database'
import { testDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../../../migrations.ts'
import type { Observations } from '../ingest/observations.ts'
import { readWindows } from '../series/read-windows.ts'
import { joined, type Series } from '../series/series.ts'
import { encodePart } from '../storage/batch-codec.ts'
import { SIMILAR_PIECES } from './choose-pieces.ts'
import { type Compacted, compact, mergeClosedDays, mergeDays } from './compact.ts'
import { countWaiting, findUnmerged, listMergeable } from './compaction.store.ts'
import { createFoldBuffers } from './fold-buffers.ts'
import { PieceCounts } from './piece-counts.ts'
import { FULL_PIECE } from './split-chunks.ts'

const DAY_MS = 86_400_000
const DAY = 20_000
const START = DAY * DAY_MS
const TWO_DAYS_LATER = new Date(START + 2 * DAY_MS)

let db: Database
let close: () => Promise<void>
let counts: PieceCounts
/** Shared by all tests, as by all folds of a thread. */
const buffers = createFoldBuffers()

beforeAll(async () => {
  const opened = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  db = opened.database
  close = opened.drop
})
afterAll(() => close())
beforeEach(async () => {
  await db.run(sql`truncate observation_batches, observation_chunks, latest_values`)
  counts = new PieceCounts()
})

interface Batch {
  point?: number
  from: number
  count: number
  value?: number
  texts?: [number, string][]
}

async function store({ point = 1, from, count, value = 20, texts = [] }: Batch): Promise<void> {
  await insert({
    count,
    points: new Int32Array(count).fill(point),
    times: Float64Array.from({ length: count }, (_, i) => START + from + i),
    values: Float64Array.from({ length: count }, (_, i) => (texts.some(([at]) => at === i) ? Number.NaN : value)),
    texts: new Map(texts),
  })
}

type Columns = Pick<Observations, 'count' | 'points' | 'times' | 'values'> & Partial<Pick<Observations, 'texts'>>

async function insert({ texts = new Map(), ...columns }: Columns): Promise<void> {
  const data = encodePart({ ...columns, texts, sources: null, sourceNames: [] })
  const [first, last] = [new Date(columns.times[0]!), new Date(columns.times.at(-1)! + 1)]
  await db.run(sql`
    insert into observation_batches (received_at, first_at, last_at, count, data)
    values (now(), ${first}, ${last}, ${columns.count}, ${data})`)
}

/** Folds until nothing waits: transactions of other tests on the same server can delay folding for a moment. */
async function fold(): Promise<Compacted> {
  const all: Compacted = { observations: 0, crowded: [] }
  for (;;) {
    const { observations, crowded } = await compact(db, counts, buffers)
    all.observations += observations
    all.crowded.push(...crowded)
    if ((await countWaiting(db)).batches === 0) return all
    await sleep(5)
  }
}

/** The stored pieces. A piece is a row of `observation_chunks`: some of the observations of a point and a day. */
const pieces = () =>
  db.rows<{ point: number; count: number }>(
    sql`select point, count from observation_chunks order by point, day, sequence`,
  )
async function history(point = 1) {
  const windows: Series[] = []
  const range = { from: START, to: START + 10 * DAY_MS }
  for await (const window of readWindows({ db, point, check: () => undefined }, range, { withSources: true }))
    windows.push(window)
  return joined(windows)
}

describe('compaction', () => {
  it('splits a day into rows of limited size', async () => {
    await store({ from: 0, count: 2 * FULL_PIECE + 7 })
    const { observations, crowded } = await fold()
    expect([observations, crowded]).toEqual([2 * FULL_PIECE + 7, []])
    expect((await pieces()).map(({ count }) => count)).toEqual([FULL_PIECE, FULL_PIECE, 7])
    const { times } = await history()
    expect([times.length, times[0], times.at(-1)]).toEqual([2 * FULL_PIECE + 7, START, START + 2 * FULL_PIECE + 6])
  })

  it('merges the pieces that follow the last full piece of a day, and does not restore a replaced number', async () => {
    await store({ from: 0, count: FULL_PIECE })
    await fold()
    // A text replaces the number at 5 ms, which is in the full piece.
    await store({ from: 5, count: 1, texts: [[0, 'offline']] })
    await fold()
    // Each fold adds one piece.
    for (let i = 0; i < SIMILAR_PIECES - 1; i++) {
      await store({ from: FULL_PIECE + i, count: 1, value: i })
      const { crowded } = await fold()
      await mergeDays(db, crowded, counts, buffers)
    }
    expect(await pieces()).toHaveLength(2)
    const { times, values } = await history()
    expect(times.includes(START + 5)).toBe(false)
    expect([times[5], values.at(-1)]).toEqual([START + 6, times.length - FULL_PIECE])
    expect(await listMergeable(db, [{ point: 1, day: DAY }])).toMatchObject([
      { isAfterFull: true, counts: [expect.any(Number)] },
    ])
  })

  it('merges large pieces rarely, in the order of arrival', async () => {
    const FOLDS = 150
    let merged = 0
    for (let i = 0; i < FOLDS; i++) {
      // Each batch replaces the last observation of the previous batch.
      await store({ from: i, count: 2, value: i })
      const { crowded } = await fold()
      await mergeDays(db, crowded, counts, buffers)
      const stored = await pieces()
      if (crowded.length > 0) merged += stored.at(-1)!.count
      expect(stored.length).toBeLessThan(16)
    }
    // If every merge took all pieces, `merged` would be about 1,400.
    expect(merged).toBeLessThan(4 * FOLDS)
    const { times, values } = await history()
    expect([...times]).toEqual(Array.from({ length: FOLDS + 1 }, (_, i) => START + i))
    expect([...values]).toEqual(Array.from({ length: FOLDS + 1 }, (_, i) => Math.min(i, FOLDS - 1)))
  })

  it('merges many days, a few at a time', async () => {
    const days = Array.from({ length: 12 }, (_, i) => ({ point: i + 1, day: DAY }))
    for (let i = 0; i < SIMILAR_PIECES; i++) {
      for (const { point } of days) await store({ point, from: i * 5_000, count: 5_000 })
      await fold()
    }
    let slices = 0
    await mergeDays(db, days, counts, buffers, () => {
      slices++
      return false
    })
    expect(slices).toBeGreaterThan(1)
    expect((await history(7)).times).toHaveLength(40_000)
  })

  it('merges a quarter of the days after each fold if many have enough pieces', async () => {
    const POINTS = 1000
    let folds = 0
    const nextFold = async () => {
      const points = Int32Array.from({ length: POINTS }, (_, i) => i + 1)
      const times = new Float64Array(POINTS).fill(START + folds++)
      await insert({ count: POINTS, points, times, values: new Float64Array(POINTS).fill(folds) })
      const { crowded } = await fold()
      await mergeDays(db, crowded, counts, buffers)
      return crowded.map(({ point }) => point)
    }
    for (let i = 1; i < SIMILAR_PIECES; i++) expect(await nextFold()).toEqual([])
    const merged: number[] = []
    while (merged.length < POINTS) {
      const next = await nextFold()
      // A quarter of the days that still wait, but at least 200 of them, or all if fewer wait.
      expect(next).toHaveLength(
        Math.max(Math.ceil((POINTS - merged.length) / 4), Math.min(200, POINTS - merged.length)),
      )
      merged.push(...next)
    }
    expect(new Set(merged).size).toBe(POINTS)
    expect((await history(POINTS)).times).toHaveLength(folds)
  })

  it('merges days that are over, but not days that have only full pieces', async () => {
    for (const from of [0, 10, 20]) {
      await store({ from, count: 10 })
      await fold()
    }
    for (const from of [0, FULL_PIECE]) {
      await store({ point: 2, from, count: FULL_PIECE })
      await fold()
    }
    let steps = 0
    for await (const _ of mergeClosedDays(db, TWO_DAYS_LATER, buffers)) steps++
    expect(steps).toBe(1)
    expect(await findUnmerged(db, TWO_DAYS_LATER, { max: 10 })).toEqual([])
    expect(await pieces()).toEqual([
      { point: 1, count: 30 },
      { point: 2, count: FULL_PIECE },
      { point: 2, count: FULL_PIECE },
    ])
  })

  it('merges each day that is over only once in a run, even if observations of that day still arrive', async () => {
    for (const from of [0, 10]) {
      await store({ from, count: 10 })
      await fold()
    }
    let steps = 0
    for await (const _ of mergeClosedDays(db, TWO_DAYS_LATER, buffers)) {
      expect(++steps).toBe(1)
      await store({ from: 100, count: 10 })
      await fold()
    }
    expect((await pieces()).map(({ count }) => count)).toEqual([20, 10])
    expect(await findUnmerged(db, TWO_DAYS_LATER, { max: 10 })).toEqual([{ point: 1, day: DAY }])
    expect(await findUnmerged(db, TWO_DAYS_LATER, { after: { point: 1, day: DAY }, max: 10 })).toEqual([])
  })
})
