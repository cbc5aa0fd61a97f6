import { LIMITS, type ObservationQuery, pageOf, parseInstant, problems } from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { type BucketFold, type BucketValue, createAggregate } from './aggregate.ts'
import { bucketsOf, isTimezone } from './buckets.ts'
import { sample } from './downsample.ts'
import { medianOfMany } from './median-of-many.ts'
import { bucketsText, rawText } from './observations-text.ts'
import { readStart, readWithBefore } from './read-series.ts'
import { type Range, readWindows } from './read-windows.ts'
import { findPointNumber } from './series.store.ts'
import type { Series } from './series.ts'
import { createTimeWeighted } from './time-weighted.ts'

const DAY_MS = 86_400_000

interface Context {
  db: Database
  point: number
  range: Range
  now: number
}

/** The observations of a point in a range of time, raw or as a value for each interval: JSON text. */
export async function readObservations(
  { db, clock }: { db: Database; clock: Clock },
  buildingId: string,
  query: ObservationQuery,
): Promise<string> {
  const now = clock.now().getTime()
  const range = rangeOf(query, now)
  const { limit } = pageOf(query.limit === undefined ? {} : { limit: query.limit }, LIMITS.telemetryPage)
  checkMaxPoints(query)
  const grouping = groupingOf(query)
  const { pointId, maxPoints } = query
  const point = await findPointNumber(db, buildingId, pointId)
  if (point === undefined) throw problems.notFound('point')
  if (maxPoints !== undefined) {
    const { series, sampledFrom } = await sample(() => readWindows(db, point, range, { withSources: true }), maxPoints)
    const head = { pointId, limit: maxPoints, nextFrom: null, sampledFrom }
    return rawText(head, series, series.times.keys())
  }
  if (!grouping) {
    const series = await readStart(db, point, range, limit + 1)
    const { times } = series
    const nextFrom = times.length > limit ? iso(times[limit]!) : null
    return rawText({ pointId, limit, nextFrom }, series, Array(Math.min(limit, times.length)).keys())
  }
  const context = { db, point, range, now }
  const buckets = await readBuckets(context, grouping, limit + 1)
  const next = buckets[limit]
  const page = await withMedians(context, buckets.slice(0, limit))
  return bucketsText({ pointId, ...grouping, nextFrom: next ? iso(next.start) : null }, page)
}

const iso = (instant: number) => new Date(instant).toISOString()

async function readBuckets(
  { db, point, range, now }: Context,
  { aggregation, interval, timezone }: Grouping,
  max: number,
): Promise<BucketValue[]> {
  const bucketOf = bucketsOf(interval, timezone)
  if (aggregation === 'timeWeightedAvg') {
    const { windows, before } = await readWithBefore(db, point, range)
    const span = { from: range.from, until: Math.min(range.to, now), before, max }
    return foldAll(windows, createTimeWeighted(bucketOf, span))
  }
  if (aggregation === 'delta') {
    const { windows, before } = await readWithBefore(db, point, range)
    return foldAll(windows, createAggregate(aggregation, bucketOf, { before, max }))
  }
  return foldAll(readWindows(db, point, range), createAggregate(aggregation, bucketOf, { max }))
}

async function foldAll(windows: AsyncIterable<Series>, fold: BucketFold): Promise<BucketValue[]> {
  for await (const window of windows) {
    fold.add(window)
    if (fold.isDone()) break
  }
  return fold.end()
}

/** Buckets with too many values to sort are read again. */
async function withMedians({ db, point, range }: Context, buckets: BucketValue[]): Promise<BucketValue[]> {
  for (const bucket of buckets) {
    const { medianUntil } = bucket
    if (medianUntil === undefined) continue
    const within = { from: Math.max(range.from, bucket.start), to: Math.min(range.to, medianUntil) }
    bucket.value = await medianOfMany(() => readWindows(db, point, within))
  }
  return buckets
}

function rangeOf(query: ObservationQuery, now: number): Range {
  const to = query.to === undefined ? now : instantOf('to', query.to)
  const from = query.from === undefined ? to - DAY_MS : instantOf('from', query.from)
  if (from > to) throw invalid('from', 'from must not be after to')
  return { from, to }
}

function instantOf(name: string, text: string): number {
  const instant = parseInstant(text)
  if (instant === undefined) throw invalid(name, `${name} must be an ISO 8601 date and time with an offset`)
  return instant
}

function checkMaxPoints({ maxPoints, limit, aggregation, interval }: ObservationQuery): void {
  if (maxPoints === undefined) return
  if (limit !== undefined)
    throw invalid('maxPoints', 'maxPoints cannot be combined with limit: it samples the whole range')
  if (aggregation !== undefined || interval !== undefined) {
    throw invalid('maxPoints', 'maxPoints is for raw reads, without aggregation and interval')
  }
}

type Grouping = Required<Pick<ObservationQuery, 'aggregation' | 'interval' | 'timezone'>>

function groupingOf({ aggregation, interval, timezone = 'UTC' }: ObservationQuery): Grouping | undefined {
  if (!isTimezone(timezone)) throw invalid('timezone', 'timezone must be an IANA name such as Europe/Berlin')
  if (aggregation === undefined && interval === undefined) return undefined
  if (interval === undefined) throw invalid('interval', 'interval is needed with aggregation')
  if (aggregation === undefined) throw invalid('aggregation', 'aggregation is needed with interval')
  return { aggregation, interval, timezone }
}

const invalid = (name: string, detail: string) => problems.query(name, detail)
