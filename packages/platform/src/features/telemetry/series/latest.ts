import { problems } from '@storey/contract'
import type { Database, Tx } from '@storey/kit/database'
import { isUuid } from '../../../graph/index.ts'
import { readRevision } from '../ingest/ingest.store.ts'
import { LastValues } from './last-values.ts'
import { type KeptValue, type PointFields, readNewValues, readPointFields } from './latest.store.ts'
import { LatestBody } from './latest-body.ts'

/** The cached last values of a building and the fixed fields of its points, as JSON text. */
interface LatestCache {
  revision: number
  /** Ordered by code. */
  points: PointFields[]
  rows: Map<number, { atMs: number; text: string }>
  /** The last folding run whose values are included. */
  run: number
  /** The response, until something changes. */
  body: LatestBody | undefined
}

/**
 * The last value of every point of a building. The values are cached for each building. A read adds what was folded
 * since the previous read and what waits to be folded, with one statement.
 */
export function createLatest(db: Database) {
  const caches = new Map<string, LatestCache>()
  let turn: Promise<unknown> = Promise.resolve()

  async function read(buildingId: string): Promise<LatestBody> {
    const cache = caches.get(buildingId)
    const found = cache && (await db.session((tx) => readNew(tx, buildingId, cache)))
    if (found && found.revision === cache.revision) return bodyOf(cache, found)
    caches.delete(buildingId)
    // In one snapshot, so that the graph cannot change meanwhile, however often it is written.
    return db.snapshot(async (tx) => {
      const fresh = await newCache(tx, buildingId)
      const body = bodyOf(fresh, await readNew(tx, buildingId, fresh))
      caches.set(buildingId, fresh)
      return body
    })
  }

  return {
    /** The response to a read. One read at a time, because reads share the cache. */
    async body(buildingId: string): Promise<LatestBody> {
      if (!isUuid(buildingId)) throw problems.notFound('building')
      const mine = turn.then(() => read(buildingId.toLowerCase()))
      turn = mine.catch(() => undefined)
      return mine
    },
  }
}

/** A cache without values: no run is included yet. Seeded values belong to run 0. */
async function newCache(tx: Tx, buildingId: string): Promise<LatestCache> {
  const revision = await readRevision(tx, buildingId)
  if (revision === undefined) throw problems.notFound('building')
  const points = await readPointFields(tx, buildingId)
  return { revision, points, rows: new Map(), run: -1, body: undefined }
}

/** What was stored since a cache was updated. */
interface NewValues {
  /** Undefined: there is no such building. */
  revision: number | undefined
  kept: KeptValue[]
  /** The last values in batches that wait to be folded. */
  waiting: LastValues
}

async function readNew(tx: Tx, buildingId: string, { revision, run }: LatestCache): Promise<NewValues> {
  const found: NewValues = { revision: undefined, kept: [], waiting: new LastValues() }
  for await (const part of readNewValues(tx, { buildingId, revision, run })) {
    if (part.kind === 'revision') found.revision = part.revision
    else if (part.kind === 'kept') found.kept.push(part)
    else found.waiting.add(part.batch)
  }
  return found
}

function bodyOf(cache: LatestCache, { kept, waiting }: NewValues): LatestBody {
  keep(cache, kept)
  const texts = new Map<number, string>()
  for (const [point, { atMs, value, source }] of waiting) {
    const known = cache.rows.get(point)
    if (known === undefined || known.atMs <= atMs) texts.set(point, valueText(atMs, value, source))
  }
  if (texts.size > 0) return new LatestBody(rowsOf(cache, texts))
  cache.body ??= new LatestBody(rowsOf(cache, texts))
  return cache.body
}

function keep(cache: LatestCache, values: readonly KeptValue[]): void {
  for (const { point, atMs, value, source, run } of values) {
    cache.rows.set(point, { atMs, text: valueText(atMs, value, source) })
    if (run > cache.run) cache.run = run
    cache.body = undefined
  }
}

function valueText(atMs: number, value: string, source: string | null): string {
  const timestamp = new Date(atMs).toISOString()
  return `"value":${JSON.stringify(value)},"timestamp":"${timestamp}","source":${JSON.stringify(source)}`
}

const fieldsTexts = new WeakMap<PointFields, string>()

function fieldsText(point: PointFields): string {
  let text = fieldsTexts.get(point)
  if (text === undefined) {
    const { number: _, ...fields } = point
    text = JSON.stringify(fields).slice(0, -1)
    fieldsTexts.set(point, text)
  }
  return text
}

function rowsOf({ points, rows }: LatestCache, waiting: ReadonlyMap<number, string>): string {
  const texts: string[] = []
  for (const point of points) {
    const value = waiting.get(point.number) ?? rows.get(point.number)?.text
    if (value !== undefined) texts.push(`${fieldsText(point)},${value}}`)
  }
  return texts.join(',')
}
