import type { Call, CallOptions, HttpClient } from '../http/client.ts'
import { type Compression, compressed } from '../http/compress.ts'
import { aRecord, rows } from '../http/shape.ts'
import type {
  Accepted,
  AggregatedHistory,
  LatestValues,
  ObservationQuery,
  PlainObservations,
  RawHistory,
  SeriesQuery,
  SeriesTable,
} from '../wire.ts'

/**
 * An observation to write. `value` is a text, even for a number.
 *
 * @stable
 */
export type NewObservation = PlainObservations['observations'][number]

/**
 * A stored observation.
 *
 * @stable
 */
export type Observation = RawHistory['data'][number]

/**
 * The value of one interval.
 *
 * @stable
 */
export type Bucket = AggregatedHistory['data'][number]

/**
 * The last value of a point.
 *
 * @stable
 */
export type LastValue = LatestValues['data'][number]

/**
 * Which observations of a point to read.
 *
 * @stable
 */
export type HistoryRange = Omit<ObservationQuery, 'aggregation' | 'interval' | 'timezone'>

/**
 * Which intervals of a point to read, and how to aggregate the observations in each.
 *
 * @stable
 */
export type AggregateQuery = Omit<ObservationQuery, 'maxPoints'> & {
  aggregation: NonNullable<ObservationQuery['aggregation']>
  interval: string
}

/**
 * How observations are sent.
 *
 * @stable
 */
export interface IngestOptions extends CallOptions {
  /** Compresses the body: for slow or metered connections. `true` means gzip. */
  compress?: boolean | Compression
}

/**
 * How line protocol is sent.
 *
 * @stable
 */
export interface LineProtocolOptions extends IngestOptions {
  /** The unit of the timestamps; `ns` by default. */
  precision?: 'ns' | 'us' | 'ms' | 's'
}

/**
 * The observations of points.
 *
 * @stable
 */
export interface TelemetryApi {
  /** Resolves when the observations are stored. If one point is unknown, no observation is stored. */
  ingest(observations: readonly NewObservation[], options?: IngestOptions): Promise<Accepted>
  /** Observations as NDJSON, an object on each line. */
  ingestNdjson(lines: string, options?: IngestOptions): Promise<Accepted>
  /** Observations as InfluxDB line protocol: `<point id or sourceSystem:externalId> value=21.5 <timestamp>`. */
  ingestLineProtocol(lines: string, options?: LineProtocolOptions): Promise<void>
  history(query: HistoryRange, options?: CallOptions): Promise<RawHistory>
  historyAll(
    query: Omit<HistoryRange, 'maxPoints'>,
    options?: CallOptions,
  ): AsyncGenerator<Observation, void, undefined>
  aggregate(query: AggregateQuery, options?: CallOptions): Promise<AggregatedHistory>
  aggregateAll(query: AggregateQuery, options?: CallOptions): AsyncGenerator<Bucket, void, undefined>
  /** A table with the aggregated series of the given points, or of all points of one quantity kind on a storey. */
  query(query: SeriesQuery, options?: CallOptions): Promise<SeriesTable>
  /** The last value of every point of the building. */
  latest(options?: CallOptions): Promise<LatestValues>
}

export function telemetryApi(http: HttpClient, building: string): TelemetryApi {
  const all = `${building}/telemetry/observations`
  const read = <T>(query: ObservationQuery, options?: CallOptions): Promise<T> =>
    http.json({ ...options, method: 'GET', path: all, query, shape: rows })

  async function* readAll<T>(query: ObservationQuery, options?: CallOptions): AsyncGenerator<T, void, undefined> {
    for (let next: ObservationQuery = { limit: 10_000, ...query }; ; ) {
      const page = await read<{ data: T[]; nextFrom: string | null }>(next, options)
      yield* page.data
      // If `nextFrom` is the `from` of this page, the next request would be the same, and the loop would never end.
      if (typeof page.nextFrom !== 'string' || page.nextFrom === next.from) return
      next = { ...next, from: page.nextFrom }
    }
  }

  async function send<T>(to: Pick<Call, 'path' | 'query'>, type: string, text: string, options?: IngestOptions) {
    const { compress = false, signal } = options ?? {}
    const coding = compress === true ? 'gzip' : compress
    return await http.json<T>({
      ...to,
      method: 'POST',
      content: { type, data: coding ? await compressed(text, coding) : text },
      ...(coding ? { headers: { 'content-encoding': coding } } : {}),
      ...(signal ? { signal } : {}),
    })
  }

  return {
    ingest: (observations, options) =>
      options?.compress
        ? send({ path: all }, 'application/json', JSON.stringify({ observations }), options)
        : http.json({ ...options, method: 'POST', path: all, body: { observations } }),
    ingestNdjson: (lines, options) => send({ path: all }, 'application/x-ndjson', lines, options),
    ingestLineProtocol: (lines, { precision, ...options } = {}) =>
      send(
        { path: `${building}/telemetry/influx/api/v2/write`, ...(precision ? { query: { precision } } : {}) },
        'text/plain; charset=utf-8',
        lines,
        options,
      ),
    history: read,
    historyAll: readAll,
    aggregate: read,
    aggregateAll: readAll,
    query: (query, options) =>
      http.json({
        ...{ ...options, method: 'POST', path: `${building}/telemetry/query`, body: query },
        ...{ repeatable: true, isRead: true, shape: aRecord },
      }),
    latest: (options) => http.json({ ...options, method: 'GET', path: `${building}/telemetry/latest` }),
  }
}
