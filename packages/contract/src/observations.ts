import Type, { type Static } from 'typebox'
import { LIMITS } from './limits.ts'

/**
 * The body of an ingest, over HTTP and MQTT. The scanner (`ingest/scan-observations.ts` in the platform) accepts the same
 * bodies without this schema, which documents them and finds the details of an error.
 */
export const PlainObservations = Type.Object(
  {
    observations: Type.Array(
      Type.Object(
        {
          pointId: Type.String({ description: 'A point of this building' }),
          value: Type.String({
            maxLength: LIMITS.observation.valueLength,
            description:
              'A finite decimal or exponent literal is a number and is added to the history. Any other text is kept ' +
              'only while it is the last value of its point',
          }),
          timestamp: Type.Optional(
            Type.String({
              description:
                `ISO 8601 with an offset, at most ${LIMITS.observation.aheadMs / 3_600_000} hours ahead. ` +
                'Default: the current time',
            }),
          ),
          source: Type.Optional(Type.String({ minLength: 1, maxLength: LIMITS.observation.sourceLength })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1 },
    ),
  },
  { additionalProperties: false },
)

/** The same fields as in JSON, an object on each line. */
export const ObservationLines = Type.String({
  description:
    'NDJSON: each line is an object with the fields of an observation, such as {"pointId": "…", "value": "21.5"}. Empty lines are ignored',
})

/** The units of a timestamp in line protocol. The short names are those of InfluxDB 1. */
const PRECISIONS = ['ns', 'us', 'ms', 's', 'n', 'u'] as const

const ignored = Type.Optional(
  Type.String({ description: 'Ignored. It is accepted because clients of InfluxDB send it' }),
)

/** The query of a write in line protocol. */
export const LineProtocolQuery = Type.Object(
  {
    precision: Type.Optional(
      Type.Enum([...PRECISIONS], { description: 'The unit of the timestamps; ns when absent. n and u are ns and us' }),
    ),
    ...{ bucket: ignored, org: ignored, db: ignored, rp: ignored, consistency: ignored },
  },
  { additionalProperties: false },
)
export type LineProtocolQuery = Static<typeof LineProtocolQuery>

export const LineProtocol = Type.String({
  description:
    'InfluxDB line protocol: `<point> value=21.5 1772348400000000000`, a line for each observation. The measurement, or the tag `point`, is the id of a point or `sourceSystem:externalId`. The tag `source` is the source; other tags are ignored. `value` is the only field: a float, an integer (5i, 5u), a text ("on") or a boolean, which is stored as the text true or false. If the timestamp is absent, the current time is used',
})

export const Accepted = Type.Object({ accepted: Type.Integer() })
export type Accepted = Static<typeof Accepted>
