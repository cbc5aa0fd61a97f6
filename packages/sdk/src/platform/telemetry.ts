import type { CallOptions, HttpClient } from '../http/client.ts'
import { rows } from '../http/shape.ts'
import type {
  Accepted,
  AggregatedHistory,
  LatestValues,
  ObservationQuery,
  PlainObservations,
  RawHistory,
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
 * The observations of points.
 *
 * @stable
 */
export interface TelemetryApi {
  /** Resolves when the observations are stored. All or nothing: one unknown point refuses all of them. */
  ingest(observations: readonly NewObservation[], options?: CallOptions): Promise<Accepted>
  history(query: HistoryRange, options?: CallOptions): Promise<RawHistory>
  historyAll(
    query: Omit<HistoryRange, 'maxPoints'>,
    options?: CallOptions,
  ): AsyncGenerator<Observation, void, undefined>
  aggregate(query: AggregateQuery, options?: CallOptions): Promise<AggregatedHistory>
  aggregateAll(query: AggregateQuery, options?: CallOptions): AsyncGenerator<Bucket, void, undefined>
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
      // Each page must advance in time: otherwise the loop would not end.
      if (typeof page.nextFrom !== 'string' || page.nextFrom === next.from) return
      next = { ...next, from: page.nextFrom }
    }
  }

  return {
    ingest: (observations, options) => http.json({ ...options, method: 'POST', path: all, body: { observations } }),
    history: read,
    historyAll: readAll,
    aggregate: read,
    aggregateAll: readAll,
    latest: (options) => http.json({ ...options, method: 'GET', path: `${building}/telemetry/latest` }),
  }
}
