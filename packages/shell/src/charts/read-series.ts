import type { BuildingClient, PointNode, SeriesQuery, SeriesTable } from '@storey/sdk'
import { type Detail, detailsFor, type Series } from './detail.ts'
import type { Span } from './span.ts'

const MAX_READINGS = 2000

type Buckets = Extract<Detail, { kind: 'buckets' }>
type Telemetry = Pick<BuildingClient, 'telemetry'>

export interface ReadOptions {
  /** An interval of a day begins at midnight in this time zone. */
  timezone: string
  signal: AbortSignal
}

/** The series, in the order of the points. Values per interval are read with one call for each aggregation. */
export async function readSeries(
  api: Telemetry,
  points: readonly PointNode[],
  span: Span,
  options: ReadOptions,
): Promise<Series[]> {
  const details = detailsFor(span, points)
  const buckets = details.find((detail) => detail.kind === 'buckets')
  if (!buckets) return await readRaw(api, points, span, options.signal)
  const idsOf = (belongs: (point: PointNode, detail: Detail) => boolean) =>
    points.filter((point, i) => belongs(point, details[i]!)).map(({ id }) => id)
  const isDelta = (detail: Detail) => detail.kind === 'buckets' && detail.aggregation === 'delta'
  const found = await Promise.all([
    readAverages(
      api,
      'avg',
      idsOf((point, detail) => !isDelta(detail) && !isHeld(point)),
      buckets,
      span,
      options,
    ),
    readAverages(
      api,
      'timeWeightedAvg',
      idsOf((point, detail) => !isDelta(detail) && isHeld(point)),
      buckets,
      span,
      options,
    ),
    readConsumption(
      api,
      idsOf((_, detail) => isDelta(detail)),
      buckets,
      span,
      options,
    ),
  ])
  const rows = new Map(found.flatMap((one) => [...one]))
  return points.map(({ id }, i) => ({
    detail: details[i]!,
    span,
    ...(rows.get(id) ?? { times: [], values: [] }),
    sampledFrom: undefined,
  }))
}

/** Whether a point reports only changes. The value of such a point holds until its next report. */
export const isHeld = ({ pointType }: Pick<PointNode, 'pointType'>): boolean => pointType !== 'SENSOR'
const instants = ({ from, to }: Span) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })

async function readRaw(
  { telemetry }: Telemetry,
  points: readonly PointNode[],
  span: Span,
  signal: AbortSignal,
): Promise<Series[]> {
  const held = points.filter(isHeld).map(({ id }) => id)
  const [starts, ...histories] = await Promise.all([
    held.length > 0 ? telemetry.query(startQuery(held, span), { signal }) : undefined,
    ...points.map(({ id }) =>
      telemetry.history({ pointId: id, ...instants(span), maxPoints: MAX_READINGS }, { signal }),
    ),
  ])
  return points.map(({ id }, i) => {
    const { data, sampledFrom } = histories[i]!
    const times = data.map(({ timestamp }) => Date.parse(timestamp))
    const values = data.map(({ value }) => Number(value))
    const start = starts?.series.find(({ pointId }) => pointId === id)?.values[0]
    if (start != null && times[0] !== span.from) {
      times.unshift(span.from)
      values.unshift(start)
    }
    const isSampled = sampledFrom !== undefined && sampledFrom > data.length
    return { detail: { kind: 'raw' }, span, times, values, sampledFrom: isSampled ? sampledFrom : undefined }
  })
}

/** The query for the values that the points have at the start of the range, however old these values are. */
const startQuery = (pointIds: string[], { from }: Span): SeriesQuery => ({
  pointIds,
  ...instants({ from, to: from + 1 }),
  interval: '1s',
  aggregation: 'timeWeightedAvg',
})

type Rows = Pick<Series, 'times' | 'values' | 'extremes'>

async function readAverages(
  { telemetry }: Telemetry,
  average: 'avg' | 'timeWeightedAvg',
  pointIds: string[],
  { interval }: Buckets,
  span: Span,
  { timezone, signal }: ReadOptions,
): Promise<Map<string, Rows>> {
  if (pointIds.length === 0) return new Map()
  const query = { pointIds, interval, timezone, ...instants(span), aggregation: average, extremes: true }
  const table = await telemetry.query(query, { signal })
  const rows = pointIds.map((id, i): [string, Rows] => {
    const { times, values, places } = known(table, i)
    const { minimums, maximums } = table.series[i]!
    // An interval without an observation has no extremes: the value that held in it is both minimum and maximum.
    const at = (extremes: readonly (number | null)[] | undefined) =>
      places.map((place, n) => extremes?.[place] ?? values[n]!)
    return [id, { times, values, extremes: { lows: at(minimums), highs: at(maximums) } }]
  })
  return new Map(rows)
}

async function readConsumption(
  { telemetry }: Telemetry,
  pointIds: string[],
  { interval, stepMs }: Buckets,
  { from, to }: Span,
  { timezone, signal }: ReadOptions,
): Promise<Map<string, Rows>> {
  if (pointIds.length === 0) return new Map()
  // If the range begins in the middle of an interval, the consumption of that interval would look too small. So the
  // query begins one interval earlier. The first interval of the query is left out: either the query covers only a part
  // of this interval, or the interval ends where the range begins.
  const span = { from: from - stepMs, to }
  const query = { pointIds, interval, timezone, ...instants(span), aggregation: 'delta' as const }
  const table = await telemetry.query(query, { signal })
  const rows = pointIds.map((id, i): [string, Rows] => {
    const { times, values } = known(table, i)
    const isWhole = (at: number) => at > span.from
    return [id, { times: times.filter(isWhole), values: values.filter((_, n) => isWhole(times[n]!)) }]
  })
  return new Map(rows)
}

/** The intervals that have a value, and their places in the table. */
function known({ timestamps, series }: SeriesTable, i: number) {
  const places = timestamps.map((_, place) => place).filter((place) => series[i]!.values[place] !== null)
  return {
    places,
    times: places.map((place) => Date.parse(timestamps[place]!)),
    values: places.map((place) => series[i]!.values[place]!),
  }
}
