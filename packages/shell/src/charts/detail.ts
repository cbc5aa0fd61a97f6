import type { BuildingClient, PointNode } from '@storey/sdk'
import type { Span } from './span.ts'

/** How a range is read: as averages of an interval, or as the readings themselves. */
export type Detail = { kind: 'raw' } | { kind: 'buckets'; hours: number; aggregation: 'avg' | 'delta' }

export interface Series {
  detail: Detail
  /** What was asked for. */
  span: Span
  /** Milliseconds. */
  times: number[]
  values: number[]
  /** Of how many readings a choice was made, where one was. */
  sampledFrom: number | undefined
}

const HOUR_MS = 3_600_000
/** A day at five minutes is 288 readings: that is drawn as it is. */
const RAW_UP_TO_MS = 26 * HOUR_MS
const MOST_READINGS = 2000
const METERS = new Set(['ActiveEnergy', 'ElectricEnergy', 'ThermalEnergy', 'Energy', 'Volume'])

/** Hours from far away, readings from near. */
export function detailFor({ from, to }: Span, { quantityKind }: Pick<PointNode, 'quantityKind'>): Detail {
  const span = to - from
  if (span <= RAW_UP_TO_MS) return { kind: 'raw' }
  // A meter only rises: what it counted in an hour says more than where it stood.
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
    const { data, sampledFrom } = await telemetry.history({ ...range, maxPoints: MOST_READINGS }, { signal })
    const isChoice = sampledFrom !== undefined && sampledFrom > data.length
    return { detail, span, ...columns(data), sampledFrom: isChoice ? sampledFrom : undefined }
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
