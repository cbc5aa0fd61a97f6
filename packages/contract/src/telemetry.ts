import Type, { type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Nullable, pageLimit } from './lists.ts'
import { Timestamp } from './timestamps.ts'

const IN_WORDS = {
  avg: 'the arithmetic mean of the values',
  min: 'the smallest value',
  max: 'the largest value',
  sum: 'the sum of the values',
  count: 'the number of values',
  first: 'the earliest value',
  last: 'the latest value',
  median: 'the median, or the mean of the two middle values',
  delta: `the consumption of a meter: the sum of its increases since the last value before the bucket, however old
that value is. So the deltas of adjacent buckets add up to the delta of the whole range. A drop means that the meter
restarted at zero. The first value of a point has no increase`,
  timeWeightedAvg: `the mean over time, where each value holds until the next one. The time begins at the start of the
bucket (or at \`from\`, if that is later) with the value that held then, however old it is; if there is none, it begins
at the first value of the point. It ends at the end of the bucket, at \`to\` or now, whichever comes first. If no time
has passed yet, \`timeWeightedAvg\` is the arithmetic mean`,
} as const

export type Aggregation = keyof typeof IN_WORDS
export const AGGREGATIONS = Object.keys(IN_WORDS) as Aggregation[]

const aggregationsInWords = Object.entries(IN_WORDS)
  .map(([name, words]) => `\`${name}\`: ${words.replaceAll('\n', ' ')}.`)
  .join(' ')

const ofPoint =
  'One value for each bucket (an `interval`) with an observation. `timeWeightedAvg` also has a value for a bucket ' +
  'without an observation, with a `count` of 0, if an earlier value still holds in it. '
const ofManyPoints =
  'One value for each bucket (an `interval`), or null for a bucket without an observation. `timeWeightedAvg` also has ' +
  'a value for a bucket without an observation if an earlier value still holds in it. '

/** A number and a unit of time. */
export const INTERVAL = /^([1-9]\d{0,5})(s|m|h|d|w|mo)$/

const Interval = Type.String({
  pattern: INTERVAL.source,
  description: 'a number and a unit (s, m, h, d, w or mo), such as 5m',
})
const Timezone = Type.String({
  description: 'IANA name of a time zone. Intervals of days, weeks and months follow its calendar. Default: UTC',
})

/** The query parameters of a request for the history of a point. */
export const ObservationQuery = Type.Object(
  {
    pointId: Type.String({ description: 'A point of this building' }),
    from: Type.Optional(
      Type.String({
        description: 'Start of the range, included: ISO 8601 with an offset. Default: 24 hours before `to`',
      }),
    ),
    to: Type.Optional(
      Type.String({
        description: 'End of the range, not included: ISO 8601 with an offset. Default: the current time',
      }),
    ),
    aggregation: Type.Optional(Type.Enum(AGGREGATIONS, { description: ofPoint + aggregationsInWords })),
    interval: Type.Optional(Interval),
    timezone: Type.Optional(Timezone),
    limit: pageLimit(LIMITS.telemetryPage),
    maxPoints: Type.Optional(
      Type.Integer({
        minimum: 3,
        maximum: LIMITS.telemetryPage.max,
        description:
          'For charts: returns the whole range in at most this many rows, selected so that a line through them looks the same (largest triangle three buckets). Every row is an observation, and the first and the last of the range are included. Not with `aggregation`, `interval` or `limit`',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ObservationQuery = Static<typeof ObservationQuery>

const NextFrom = Type.Union([Timestamp, Type.Null()], { description: '`from` of the next page; null on the last page' })

const Observation = Type.Object({
  timestamp: Timestamp,
  value: Type.String(),
  source: Nullable(Type.String()),
})

export const RawHistory = Type.Object({
  pointId: Type.String(),
  data: Type.Array(Observation),
  limit: Type.Integer({ description: 'Maximum number of rows: the `limit` or the `maxPoints` of the request' }),
  nextFrom: NextFrom,
  sampledFrom: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Number of observations in the range, of which `data` is a sample. Only with `maxPoints`',
    }),
  ),
})
export type RawHistory = Static<typeof RawHistory>

export const AggregatedHistory = Type.Object({
  pointId: Type.String(),
  aggregation: Type.Enum(AGGREGATIONS),
  interval: Type.String(),
  timezone: Type.String(),
  data: Type.Array(
    Type.Object({
      timestamp: Type.String({ format: 'date-time', description: 'The start of the bucket' }),
      value: Type.Number(),
      count: Type.Integer({ minimum: 0, description: 'Number of observations in the bucket' }),
    }),
  ),
  nextFrom: NextFrom,
})
export type AggregatedHistory = Static<typeof AggregatedHistory>

export const LatestValues = Type.Object({
  data: Type.Array(
    Type.Object({
      pointId: Type.String(),
      elementId: Type.String(),
      spaceId: Nullable(Type.String()),
      value: Type.String(),
      timestamp: Timestamp,
      source: Nullable(Type.String()),
      quantityKind: Type.String(),
      unit: Type.String(),
    }),
  ),
  asOf: Timestamp,
})
export type LatestValues = Static<typeof LatestValues>

const { points: maxPoints, values: maxValues } = LIMITS.manySeries

/** The body of a request for many series: of the points in `pointIds`, or of a storey's points with `quantityKind`. */
export const SeriesQuery = Type.Object(
  {
    pointIds: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: maxPoints,
        uniqueItems: true,
        description: 'Points of this building. Not with storeyId',
      }),
    ),
    storeyId: Type.Optional(
      Type.String({
        description: `Reads the points of this storey with the quantityKind, at most ${maxPoints}. Not with pointIds`,
      }),
    ),
    quantityKind: Type.Optional(
      Type.String({ description: 'A quantity kind, such as Temperature. Required with storeyId' }),
    ),
    from: Type.String({ description: 'Start of the range, included: ISO 8601 with an offset' }),
    to: Type.String({
      description: `End of the range, not included: ISO 8601 with an offset. The number of points times the number of intervals is at most ${maxValues}`,
    }),
    aggregation: Type.Enum(AGGREGATIONS, { description: ofManyPoints + aggregationsInWords }),
    interval: Interval,
    timezone: Type.Optional(Timezone),
    extremes: Type.Optional(
      Type.Boolean({
        description:
          'Whether the smallest and the largest value of each interval are added. They count towards the maximum number of values (see `to`)',
      }),
    ),
  },
  { additionalProperties: false },
)
export type SeriesQuery = Static<typeof SeriesQuery>

const SeriesValues = (description: string) => Type.Array(Nullable(Type.Number()), { description })

export const SeriesTable = Type.Object({
  timestamps: Type.Array(Timestamp, { description: 'The start of each interval of the range' }),
  series: Type.Array(
    Type.Object({
      pointId: Type.String(),
      values: SeriesValues('A value for each timestamp; null where the interval has none'),
      minimums: Type.Optional(
        SeriesValues('With `extremes`: the smallest value of each interval; null without observations'),
      ),
      maximums: Type.Optional(
        SeriesValues('With `extremes`: the largest value of each interval; null without observations'),
      ),
    }),
    { description: 'In the order of `pointIds`, or ordered by the codes of the points if the request has `storeyId`' },
  ),
})
export type SeriesTable = Static<typeof SeriesTable>
