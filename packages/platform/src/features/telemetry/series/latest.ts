import { problems } from '@storey/contract'
import type { Database, Tx } from '@storey/kit/database'
import { isUuid } from '../../../graph/index.ts'
import { readRevision } from '../ingest/ingest.store.ts'
import { readWaiting } from '../storage/waiting.store.ts'
import { LastValues } from './last-values.ts'
import { type PointFields, readKeptValues, readPointFields } from './series.store.ts'

/** The cached last values of a building and the fixed fields of its points, as JSON text. */
interface LatestCache {
  revision: number
  /** Ordered by code. */
  points: PointFields[]
  rows: Map<number, { atMs: number; text: string }>
  /** The last folding run whose values are included. */
  run: number
  /** All rows as JSON text, until something changes. */
  sent: Buffer | undefined
}

/**
 * The last value of every point of a building. The values are cached for each building. A read adds what was folded
 * since the previous read and what waits to be folded, all in one snapshot. For 5,000 points this takes 4 ms instead of
 * 40.
 */
export function createLatest(db: Database) {
  const caches = new Map<string, LatestCache>()
  let turn: Promise<unknown> = Promise.resolve()

  async function read(buildingId: string): Promise<Buffer> {
    return db.snapshot(async (tx) => {
      const revision = await readRevision(tx, buildingId)
      if (revision === undefined) throw problems.notFound('building')
      const cache = await updateCache(tx, buildingId, revision)
      const waiting = new Map<number, string>()
      const last = new LastValues()
      for await (const batch of readWaiting(tx)) last.add(batch)
      for (const [point, { atMs, value, source }] of last) {
        const kept = cache.rows.get(point)
        if (kept === undefined || kept.atMs <= atMs) waiting.set(point, valueText(atMs, value, source))
      }
      if (waiting.size > 0) return rowsOf(cache, waiting)
      cache.sent ??= rowsOf(cache, waiting)
      return cache.sent
    })
  }

  async function updateCache(tx: Tx, buildingId: string, revision: number): Promise<LatestCache> {
    const known = caches.get(buildingId)
    const cache = known?.revision === revision ? known : await newCache(tx, buildingId, revision)
    for (const { point, at, value, source, run } of await readKeptValues(tx, cache.run)) {
      cache.rows.set(point, { atMs: at.getTime(), text: valueText(at.getTime(), value, source) })
      if (run > cache.run) cache.run = run
      cache.sent = undefined
    }
    caches.set(buildingId, cache)
    return cache
  }

  return {
    /** All rows, as a JSON array. One read at a time, because reads share the cache. */
    async rows(buildingId: string): Promise<Buffer> {
      if (!isUuid(buildingId)) throw problems.notFound('building')
      const mine = turn.then(() => read(buildingId.toLowerCase()))
      turn = mine.catch(() => undefined)
      return mine
    },
  }
}

async function newCache(tx: Tx, buildingId: string, revision: number): Promise<LatestCache> {
  const points = await readPointFields(tx, buildingId)
  // No run is included yet. Seeded values belong to run 0.
  return { revision, points, rows: new Map(), run: -1, sent: undefined }
}

function valueText(atMs: number, value: string, source: string | null): string {
  const timestamp = new Date(atMs).toISOString()
  return `"value":${JSON.stringify(value)},"timestamp":"${timestamp}","source":${JSON.stringify(source)}`
}

const stillTexts = new WeakMap<PointFields, string>()

function stillText(point: PointFields): string {
  let text = stillTexts.get(point)
  if (text === undefined) {
    const { number: _, ...fields } = point
    text = JSON.stringify(fields).slice(0, -1)
    stillTexts.set(point, text)
  }
  return text
}

function rowsOf({ points, rows }: LatestCache, waiting: ReadonlyMap<number, string>): Buffer {
  const texts: string[] = []
  for (const point of points) {
    const value = waiting.get(point.number) ?? rows.get(point.number)?.text
    if (value !== undefined) texts.push(`${stillText(point)},${value}}`)
  }
  return Buffer.from(`[${texts.join(',')}]`)
}
