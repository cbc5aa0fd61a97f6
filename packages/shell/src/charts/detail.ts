import type { BuildingClient, PointNode } from '@storey/sdk'
import type { Span } from './span.ts'

/** How a range is read: raw readings, or one value per interval. */
export type Detail = { kind: 'raw' } | { kind: 'buckets'; hours: number; aggregation: 'avg' | 'delta' }

export interface Series {
  detail: Detail
  /** The requested range. */
  span: Span
  /** Milliseconds since the epoch. */
  times: number[]
  values: number[]
  /** The number of readings before sampling; undefined if they were not sampled. */
  sampledFrom: number | undefined
}

const HOUR_MS = 3_600_000
/** Ranges up to about a day show raw readings. A sensor that reports every five minutes has 288 readings per day. */
const MAX_RAW_MS = 26 * HOUR_MS
const MAX_READINGS = 2000
const METERS = new Set(['ActiveEnergy', 'ElectricEnergy', 'ThermalEnergy', 'Energy', 'Volume'])

/** Raw readings for a short range, intervals for a long one. */
export function detailFor({ from, to }: Span, { quantityKind }: Pick<PointNode, 'quantityKind'>): Detail {
  const span = to - from
  if (span <= MAX_RAW_MS) return { kind: 'raw' }
  // The value of a meter only rises, so the increase per interval is more useful than the average.
  const aggregation = METERS.has(quantityKind) ? 'delta' : 'avg'
  return { kind: 'buckets', hours: span > 60 * 24 * HOUR_MS ? 6 : 1, aggregation }
}

export async function readSeries(
  { telemetry }: Pick<BuildingClient, 'telemetry'>,
  point: PointNode,
  span: Span,
  signal: AbortSignal,
): Promise<Series> {
  const detail = detailFor(span, point)
  const range = { pointId: point.id, from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() }
  if (detail.kind === 'raw') {
    const { data, sampledFrom } = await telemetry.history({ ...range, maxPoints: MAX_READINGS }, { signal })
    const isSampled = sampledFrom !== undefined && sampledFrom > data.length
    return { detail, span, ...columns(data), sampledFrom: isSampled ? sampledFrom : undefined }
  }
  const { hours, aggregation } = detail
  const { data } = await telemetry.aggregate(
    { ...range, aggregation, interval: `${hours}h`, limit: 10_000 },
    { signal },
  )
  return { detail, span, ...columns(data), sampledFrom: undefined }
}

const columns = (rows: readonly { timestamp: string; value: string | number }[]) => ({
  times: rows.map(({ timestamp }) => Date.parse(timestamp)),
  values: rows.map(({ value }) => Number(value)),
})
