import { LIMITS, type ObservationQuery, pageOf, problems } from '@storey/contract'
import { bucketsOf } from './buckets.ts'
import { sample } from './downsample.ts'
import { bucketsText, rawText } from './observations-text.ts'
import type { QueryParts } from './query-series.ts'
import { readBuckets, withMedians } from './read-buckets.ts'
import { readStart } from './read-series.ts'
import { isEmpty, type Range, readWindows, type Source } from './read-windows.ts'
import { type NamedPoint, numberOf } from './series.store.ts'
import { checkTimezone, type Grouping, instantOf } from './time-parameters.ts'

const DAY_MS = 86_400_000

/**
 * The observations of a point in a range of time as JSON, raw or with one value for each interval. Values that are not
 * numbers are left out (`onlyNumbers` in `series.ts`).
 */
export async function readObservations(
  { db, clock, check }: Pick<QueryParts, 'db' | 'clock' | 'check'>,
  buildingId: string,
  query: ObservationQuery,
): Promise<Buffer> {
  const now = clock.now().getTime()
  const range = rangeOf(query, now)
  const { limit } = pageOf(query.limit === undefined ? {} : { limit: query.limit }, LIMITS.telemetryPage)
  checkMaxPoints(query)
  const grouping = groupingOf(query)
  const { pointId, maxPoints } = query
  const point: NamedPoint = { buildingId, pointId }
  const source: Source = { db, point, check }
  // An empty range is not read, so an unknown point has to be detected here.
  if (isEmpty(range)) await numberOf(db, point)
  if (maxPoints !== undefined) {
    const { series, sampledFrom } = await sample(() => readWindows(source, range, { withSources: true }), maxPoints)
    const head = { pointId, limit: maxPoints, nextFrom: null, sampledFrom }
    return rawText(head, series, series.times.length)
  }
  if (!grouping) {
    const series = await readStart(source, range, limit + 1)
    const { times } = series
    const nextFrom = times.length > limit ? iso(times[limit]!) : null
    return rawText({ pointId, limit, nextFrom }, series, Math.min(limit, times.length))
  }
  const context = { source, range, now }
  const { aggregation, interval, timezone } = grouping
  const buckets = await readBuckets(context, aggregation, bucketsOf(interval, timezone), limit + 1)
  const next = buckets[limit]
  const page = await withMedians(context, buckets.slice(0, limit))
  return bucketsText({ pointId, ...grouping, nextFrom: next ? iso(next.start) : null }, page)
}

const iso = (instant: number) => new Date(instant).toISOString()

function rangeOf(query: ObservationQuery, now: number): Range {
  const to = query.to === undefined ? now : instantOf('to', query.to, invalid)
  const from = query.from === undefined ? to - DAY_MS : instantOf('from', query.from, invalid)
  if (from > to) throw invalid('from', 'from must not be after to')
  return { from, to }
}

function checkMaxPoints({ maxPoints, limit, aggregation, interval }: ObservationQuery): void {
  if (maxPoints === undefined) return
  if (limit !== undefined)
    throw invalid('maxPoints', 'maxPoints cannot be combined with limit, because maxPoints samples the whole range')
  if (aggregation !== undefined || interval !== undefined) {
    throw invalid('maxPoints', 'maxPoints is for raw reads, without aggregation and interval')
  }
}

function groupingOf({ aggregation, interval, timezone = 'UTC' }: ObservationQuery): Grouping | undefined {
  checkTimezone(timezone, invalid)
  if (aggregation === undefined && interval === undefined) return undefined
  if (interval === undefined) throw invalid('interval', 'interval is required with aggregation')
  if (aggregation === undefined) throw invalid('aggregation', 'aggregation is required with interval')
  return { aggregation, interval, timezone }
}

const invalid = (name: string, detail: string) => problems.query(name, detail)
