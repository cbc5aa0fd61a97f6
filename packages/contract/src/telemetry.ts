import Type, { type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { Nullable, pageLimit, Timestamp } from './lists.ts'

const IN_WORDS = {
  avg: 'the plain mean of the values',
  min: 'the least',
  max: 'the greatest',
  sum: 'their sum',
  count: 'how many there are',
  first: 'the earliest',
  last: 'the latest',
  median: 'the middle one by size, or the mean of the two in the middle',
  delta: `what a meter counted: the sum of its increases, from the last value before the bucket on, however old it is. A
drop means that the meter began again at zero. The very first value of a point is a base and counts nothing, so the
deltas of adjacent buckets add up to the delta of all of them`,
  timeWeightedAvg: `the mean over time, where each value holds until the next one. It begins with the value that held at
the start of the bucket (or at \`from\`, when that is later), however old it is, or with the first value of all; it ends
with the bucket, at \`to\` or now. A bucket in which a value held but nothing was observed is given too, with a \`count\`
of 0. Where no time has passed yet, it is the plain mean`,
} as const

export type Aggregation = keyof typeof IN_WORDS
export const AGGREGATIONS = Object.keys(IN_WORDS) as Aggregation[]

const aggregationInWords = `One value for each \`interval\` that holds an observation. ${Object.entries(IN_WORDS)
  .map(([name, words]) => `\`${name}\`: ${words.replaceAll('\n', ' ')}.`)
  .join(' ')}`

/** The query of a read of history. */
export const ObservationQuery = Type.Object(
  {
    pointId: Type.String({ description: 'A point of this building' }),
    from: Type.Optional(
      Type.String({ description: 'ISO 8601 with an offset, included; 24 hours before `to` when absent' }),
    ),
    to: Type.Optional(Type.String({ description: 'ISO 8601 with an offset, not included; now when absent' })),
    aggregation: Type.Optional(Type.Enum(AGGREGATIONS, { description: aggregationInWords })),
    interval: Type.Optional(
      Type.String({
        pattern: '^[1-9]\\d{0,5}(s|m|h|d|w|mo)$',
        description: 'a number and s, m, h, d, w or mo, such as 5m',
      }),
    ),
    timezone: Type.Optional(Type.String({ description: 'IANA name; days, weeks and months follow its calendar' })),
    limit: pageLimit(LIMITS.telemetryPage),
    maxPoints: Type.Optional(
      Type.Integer({
        minimum: 3,
        maximum: LIMITS.telemetryPage.max,
        description:
          'For charts: the whole range in at most so many rows, chosen so that its line looks the same (largest triangle three buckets). Every row was observed, the first and the last of the range among them. Not with `aggregation`, `interval` or `limit`',
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
      count: Type.Integer({ minimum: 0, description: 'Number of observations in it' }),
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
