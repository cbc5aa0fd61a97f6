import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from './lists.ts'

export const AGGREGATIONS = ['avg', 'min', 'max', 'sum', 'count', 'last'] as const
export type Aggregation = (typeof AGGREGATIONS)[number]

/** What a read of history takes. */
export const ObservationQuery = Type.Object(
  {
    pointId: Type.String({ description: 'A point of this building' }),
    from: Type.Optional(
      Type.String({ description: 'ISO 8601 with an offset, included; 24 hours before `to` when absent' }),
    ),
    to: Type.Optional(Type.String({ description: 'ISO 8601 with an offset, not included; now when absent' })),
    aggregation: Type.Optional(Type.Enum([...AGGREGATIONS])),
    interval: Type.Optional(
      Type.String({
        pattern: '^[1-9]\\d{0,5}(s|m|h|d|w|mo)$',
        description: 'a number and s, m, h, d, w or mo, such as 5m',
      }),
    ),
    timezone: Type.Optional(Type.String({ description: 'IANA name; days, weeks and months follow its calendar' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Rows at the most' })),
  },
  { additionalProperties: false },
)
export type ObservationQuery = Static<typeof ObservationQuery>

const Observation = Type.Object({
  timestamp: Timestamp,
  value: Type.String(),
  source: Nullable(Type.String()),
})

export const RawHistory = Type.Object({
  pointId: Type.String(),
  data: Type.Array(Observation),
  limit: Type.Integer(),
  nextFrom: Nullable(Timestamp),
})
export type RawHistory = Static<typeof RawHistory>

export const AggregatedHistory = Type.Object({
  pointId: Type.String(),
  aggregation: Type.Enum([...AGGREGATIONS]),
  interval: Type.String(),
  timezone: Type.String(),
  data: Type.Array(Type.Object({ timestamp: Timestamp, value: Type.Number(), count: Type.Integer() })),
  nextFrom: Nullable(Timestamp),
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
