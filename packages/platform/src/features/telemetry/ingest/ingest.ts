import { type FieldError, type PointUpdated, problems } from '@storey/contract'
import { type Clock, latestTime } from '@storey/kit/clock'
import { type Database, type Queryable, serverTime } from '@storey/kit/database'
import { createYield } from '@storey/kit/yield-to-event-loop'
import type { Bus } from '../../../bus/index.ts'
import { type OutboundEvent, type Outbox, outboundEvent } from '../../webhooks/index.ts'
import { DECODED_BYTES } from '../storage/batch-codec.ts'
import { scanTimes } from './check-observation.ts'
import { type IngestForm, JSON_DOCUMENT } from './forms.ts'
import { GroupCommit } from './group-commit.ts'
import { insertBatch, insertBatchWithEvents, type NewBatch } from './ingest.store.ts'
import { batchOf, type CheckedFor } from './new-batch.ts'
import { Copies, type Observations } from './observations.ts'
import { createKnownPoints, type KnownPoints } from './point-cache.ts'
import { POINT_UPDATED, pointUpdates } from './point-updated.ts'
import { createUpdatePublisher } from './publish-updates.ts'

/** A larger body is scanned in steps, between which other requests run. */
const AT_ONCE_BYTES = 256 * 1024

/** How many events for webhooks are in memory at once. Each has up to 1,000 observations. */
const EVENTS_AT_ONCE = 8

/** A request fails if the graph or the webhooks change during each of this many attempts. */
const MAX_TRIES = 10

/**
 * Ingests a body, by default as JSON. Resolves to the number of observations when they are committed. `arrivedAt` is
 * the time of observations without a timestamp, by default now.
 */
export type Ingest = (buildingId: string, body: Buffer, form?: IngestForm, arrivedAt?: Date) => Promise<number>

export interface IngestParts {
  db: Database
  clock: Clock
  bus: Bus
  outbox: Outbox
  /** Throws while the storage is used up. Called for observations from REST, MQTT and the simulation. */
  checkCapacity?(): void
  /** Called for every committed batch, with the memory that folding it takes. */
  onBatch(bytes: number): void
  /** Called when the observations of a request are committed, with these observations as columns. */
  onObserved?(batch: ObservedBatch): void
}

export interface ObservedBatch {
  buildingId: string
  observations: Observations
  /** The ids and elements of the points, by the number of the point (the column `number` of `points`). */
  points: KnownPoints['ids']
  /** Call when nothing reads the observations any more, since the next ones are copied into the same memory. */
  free(): void
}

/**
 * Stores observations from REST, MQTT and the simulation: validates all of them, commits them with their outbound
 * events, then publishes them on the bus. A request is accepted whole or not at all.
 */
export function createIngest(parts: IngestParts): Ingest {
  const { db, clock, bus, outbox, onBatch, onObserved } = parts
  const knownPoints = createKnownPoints(db)
  const copies = new Copies()
  const publishUpdates = createUpdatePublisher(bus)

  const noteBatch = ({ data, count }: NewBatch) => onBatch(data.length + DECODED_BYTES * count)
  async function storeBatch(on: Queryable, batch: NewBatch, version: number): Promise<boolean> {
    const isStored = await insertBatch(on, batch, version)
    if (isStored) noteBatch(batch)
    return isStored
  }
  async function storeWithEvents(kept: Observations, checked: CheckedFor, receivedAt: Date, ids: KnownPoints['ids']) {
    const batch = batchOf(kept, checked, receivedAt)
    const events = outboundPortions(pointUpdates(checked.buildingId, kept, ids), receivedAt)
    const isStored = await insertBatchWithEvents(db, batch, checked.version, events)
    if (isStored) noteBatch(batch)
    return isStored
  }
  const commits = new GroupCommit((work) =>
    db.session((session) =>
      work({
        store: (batch, version) => storeBatch(session, batch, version),
        isUsable: () => session.isUsable(),
        isWanted: () => session.isWanted(),
      }),
    ),
  )

  return async (building, body, form = JSON_DOCUMENT, arrivedAt) => {
    parts.checkCapacity?.()
    const buildingId = building.toLowerCase()
    let latestClock: number | undefined
    let [known, wanted] = await Promise.all([knownPoints.get(buildingId), outbox.wanted()])
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (!known) throw problems.notFound('building')
      const externalIds = form.usesExternalIds ? await known.externalIds() : undefined
      if (form.usesExternalIds && externalIds === undefined) {
        known = await knownPoints.after(buildingId, known.revision)
        continue
      }
      const receivedAt = clock.now()
      const time = scanTimes((arrivedAt ?? receivedAt).getTime(), latestClock)
      // The next scan overwrites the columns of a small body, so nothing is awaited before they are copied or encoded.
      const points = { index: known.index, externalIds }
      const scanned =
        body.length > AT_ONCE_BYTES ? await form.readLarge(body, points, time) : form.read(body, points, time)
      const { observations, unknown, errors } = scanned
      if (errors.length > 0) {
        // A time that seems far ahead may be right, and this process's clock wrong.
        if (latestClock !== undefined || !errors.some(isOfTimestamp)) throw problems.validation(errors)
        latestClock = await readLatestClock(db, clock, time.now)
        continue
      }
      const { revision, ids } = known
      if (unknown.length > 0) {
        // Another process may have created the point a moment ago.
        const fresh = await knownPoints.after(buildingId, revision)
        if (fresh?.revision === revision) throw problems.unknownPoints(unknown)
        known = fresh
        continue
      }
      const { count } = observations
      const checked = { buildingId, revision, version: wanted.version }
      const isWanted = wanted.events.has(POINT_UPDATED)
      const kept = copies.copyOf(observations)
      const isStored = isWanted
        ? await storeWithEvents(kept, checked, receivedAt, ids)
        : await commits.add(observations, checked, receivedAt)
      if (isStored) {
        if (isWanted) outbox.sent()
        await publishUpdates(buildingId, kept, ids)
        if (onObserved) onObserved({ buildingId, observations: kept, points: ids, free: () => copies.free(kept) })
        else copies.free(kept)
        return count
      }
      ;[known, wanted] = await Promise.all([knownPoints.after(buildingId, revision), outbox.refreshed()])
    }
    throw problems.notReady('The graph or the webhooks change faster than observations can be checked', 1)
  }
}

/** The events for webhooks, in portions of a few MB at most. */
async function* outboundPortions(
  updates: Iterable<PointUpdated>,
  at: Date,
): AsyncGenerator<OutboundEvent[], void, undefined> {
  const yieldIfDue = createYield()
  let portion: OutboundEvent[] = []
  for (const fields of updates) {
    portion.push(outboundEvent(POINT_UPDATED, fields, at))
    await yieldIfDue()
    if (portion.length < EVENTS_AT_ONCE) continue
    yield portion
    portion = []
  }
  if (portion.length > 0) yield portion
}

const isOfTimestamp = ({ pointer }: FieldError) => pointer.endsWith('/timestamp')

/**
 * The latest of the times of this process, of its machine and of the database server. A machine may have started with a
 * wrong clock. When that clock is corrected, the clock of this process (`kit/src/steady-clock.ts`) may ignore the
 * correction for five minutes.
 */
async function readLatestClock(db: Database, clock: Clock, now: number): Promise<number> {
  return Math.max(now, latestTime(clock).getTime(), (await serverTime(db)).getTime())
}
