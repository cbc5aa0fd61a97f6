import { problems } from '@storey/contract'
import type { Database, Tx } from '@storey/kit/database'
import { isUuid } from '../../../graph/index.ts'
import { readRevision } from '../ingest/ingest.store.ts'
import { LastValues } from './last-values.ts'
import { type KeptValue, type PointFields, readNewValues, readPointFields } from './latest.store.ts'
import { LatestBody } from './latest-body.ts'
import { fieldsText, valueText } from './latest-text.ts'

/** The cached last values of a building and the fixed fields of its points, as JSON text. */
interface LatestCache {
  revision: number
  /** Ordered by code. */
  points: PointFields[]
  rows: Map<number, { atMs: number; text: string }>
  /** The number of characters in the texts of all rows. */
  length: number
  /** The last folding run whose values are included. */
  run: number
  /** The response, until something changes. */
  body: LatestBody | undefined
}

/**
 * Values are cached up to this length. The values of 100,000 points take 8 million characters if they are numbers, and
 * up to 100 million if they are texts.
 */
const MAX_CACHED_LENGTH = 16 * 1024 * 1024
/** After this time a building whose values were too long is read into the cache again. */
const TRY_AGAIN_AFTER_MS = 60_000

/**
 * The last value of every point of a building. The values are cached for each building. A read adds what was folded
 * since the previous read and what waits to be folded, with one statement.
 */
export function createLatest(db: Database, maxCachedLength = MAX_CACHED_LENGTH) {
  const caches = new Map<string, LatestCache>()
  /** Buildings whose values are too long for the cache, with the time of the next attempt. */
  const tooLong = new Map<string, number>()
  let turn: Promise<unknown> = Promise.resolve()

  async function read(buildingId: string): Promise<LatestBody | undefined> {
    if ((tooLong.get(buildingId) ?? 0) > performance.now()) return undefined
    const body = await readCached(buildingId)
    if (body !== undefined) return body
    caches.delete(buildingId)
    tooLong.set(buildingId, performance.now() + TRY_AGAIN_AFTER_MS)
    return undefined
  }

  async function readCached(buildingId: string): Promise<LatestBody | undefined> {
    const cache = caches.get(buildingId)
    // A read that fails may have added only some values of a run, so its cache is not used again.
    caches.delete(buildingId)
    const found = cache && (await db.session((tx) => readNew(tx, buildingId, cache, maxCachedLength)))
    if (found && found.revision === cache.revision) {
      caches.set(buildingId, cache)
      return bodyOf(cache, found, maxCachedLength)
    }
    // All statements read one snapshot of the database, so that they see the same graph while others change it.
    return db.snapshot(async (tx) => {
      const fresh = await newCache(tx, buildingId)
      const body = bodyOf(fresh, await readNew(tx, buildingId, fresh, maxCachedLength), maxCachedLength)
      caches.set(buildingId, fresh)
      return body
    })
  }

  return {
    /**
     * The response to a read; undefined if it is too long to be kept in memory, so that it has to be streamed. Reads
     * run one at a time, because they share the cache.
     */
    async body(buildingId: string): Promise<LatestBody | undefined> {
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
  return { revision, points, rows: new Map(), length: 0, run: -1, body: undefined }
}

/** What was stored since a cache was updated, except the folded values, which are added to the cache. */
interface NewValues {
  /** Undefined: there is no such building. */
  revision: number | undefined
  /** The last values in batches that wait to be folded. */
  waiting: LastValues
}

/**
 * Adds the folded values to the cache, and returns the values that wait to be folded. If the cache gets longer than
 * `maxLength`, further values are skipped, because the cache cannot be used any more.
 */
async function readNew(tx: Tx, buildingId: string, cache: LatestCache, maxLength: number): Promise<NewValues> {
  const found: NewValues = { revision: undefined, waiting: new LastValues() }
  const { revision, run } = cache
  for await (const part of readNewValues(tx, { buildingId, revision, run })) {
    if (part.kind === 'revision') found.revision = part.revision
    else if (cache.length > maxLength) continue
    else if (part.kind === 'kept') keep(cache, part)
    else found.waiting.add(part.observations)
  }
  return found
}

function bodyOf(cache: LatestCache, { waiting }: NewValues, maxLength: number): LatestBody | undefined {
  const texts = new Map<number, string>()
  let { length } = cache
  for (const [point, last] of waiting) {
    const known = cache.rows.get(point)
    if (known !== undefined && known.atMs > last.atMs) continue
    const text = valueText(last)
    texts.set(point, text)
    length += text.length - (known?.text.length ?? 0)
    if (length > maxLength) return undefined
  }
  if (length > maxLength) return undefined
  if (texts.size > 0) return new LatestBody(rowsOf(cache, texts))
  cache.body ??= new LatestBody(rowsOf(cache, texts))
  return cache.body
}

function keep(cache: LatestCache, { point, run, ...last }: KeptValue): void {
  const text = valueText(last)
  cache.length += text.length - (cache.rows.get(point)?.text.length ?? 0)
  cache.rows.set(point, { atMs: last.atMs, text })
  if (run > cache.run) cache.run = run
  cache.body = undefined
}

function rowsOf({ points, rows }: LatestCache, waiting: ReadonlyMap<number, string>): string {
  const texts: string[] = []
  for (const point of points) {
    const value = waiting.get(point.number) ?? rows.get(point.number)?.text
    if (value !== undefined) texts.push(`${fieldsText(point)},${value}}`)
  }
  return texts.join(',')
}
