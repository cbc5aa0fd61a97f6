import {
  type AggregatedHistory,
  LIMITS,
  type ObservationQuery,
  pageOf,
  parseInstant,
  problems,
  type RawHistory,
} from '@storey/contract'
import type { Clock } from '@storey/kit/clock'
import type { Queryable } from '@storey/kit/database'
import { aggregate } from './aggregate.ts'
import { bucketsOf, isTimezone } from './buckets.ts'
import { seriesOf } from './series.ts'
import { findPointNumber, readChunks } from './telemetry.store.ts'

const DAY_MS = 86_400_000

/** The history of a point: as it was observed, or a value for each interval. */
export async function readHistory(
  { db, clock }: { db: Queryable; clock: Clock },
  buildingId: string,
  query: ObservationQuery,
): Promise<RawHistory | AggregatedHistory> {
  const range = rangeOf(query, clock.now().getTime())
  const { limit } = pageOf(query.limit === undefined ? {} : { limit: query.limit }, LIMITS.telemetryPage)
  const grouping = groupingOf(query)
  const point = await findPointNumber(db, buildingId, query.pointId)
  if (point === undefined) throw problems.notFound('point')
  const { pointId } = query
  if (!grouping) {
    const { times, values } = seriesOf(await readChunks(db, point, range, limit + 1), range.from, range.to)
    const count = Math.min(limit, times.length)
    const data = Array.from({ length: count }, (_, i) => ({
      timestamp: iso(times[i]!),
      value: String(values[i]!),
      source: null,
    }))
    return { pointId, data, limit, nextFrom: times.length > limit ? iso(times[limit]!) : null }
  }
  const { aggregation, interval, timezone } = grouping
  const series = seriesOf(await readChunks(db, point, range), range.from, range.to)
  const buckets = aggregate(series, aggregation, bucketsOf(interval, timezone))
  const data = buckets.slice(0, limit).map(({ start, value, count }) => ({ timestamp: iso(start), value, count }))
  const next = buckets[limit]
  return { pointId, aggregation, interval, timezone, data, nextFrom: next ? iso(next.start) : null }
}

const iso = (instant: number) => new Date(instant).toISOString()

function rangeOf(query: ObservationQuery, now: number): { from: number; to: number } {
  const to = query.to === undefined ? now : instantOf('to', query.to)
  const from = query.from === undefined ? to - DAY_MS : instantOf('from', query.from)
  if (from > to) throw invalid('from', 'from lies after to')
  return { from, to }
}

function instantOf(name: string, text: string): number {
  const instant = parseInstant(text)
  if (instant === undefined) throw invalid(name, `${name} must be an ISO 8601 date and time with an offset`)
  return instant
}

function groupingOf({ aggregation, interval, timezone = 'UTC' }: ObservationQuery) {
  if (!isTimezone(timezone)) throw invalid('timezone', 'timezone must be an IANA name such as Europe/Berlin')
  if (aggregation === undefined && interval === undefined) return undefined
  if (interval === undefined) throw invalid('interval', 'interval is needed with aggregation')
  if (aggregation === undefined) throw invalid('aggregation', 'aggregation is needed with interval')
  return { aggregation, interval, timezone }
}

const invalid = (name: string, detail: string) => problems.query(name, detail)
