import Type, { type Static } from 'typebox'
import { LIMITS } from './limits.ts'

/** The body of an ingest, over HTTP and MQTT. It documents what the scanner of observations accepts. */
export const PlainObservations = Type.Object(
  {
    observations: Type.Array(
      Type.Object(
        {
          pointId: Type.String({ description: 'A point of this building' }),
          value: Type.String({
            maxLength: LIMITS.observation.valueLength,
            description:
              'A finite decimal or exponent literal is a number and has a history; any other text is the last value',
          }),
          timestamp: Type.Optional(
            Type.String({
              description: `ISO 8601 with an offset, at most ${LIMITS.observation.aheadMs / 3_600_000} hours ahead; now when absent`,
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

export const Accepted = Type.Object({ accepted: Type.Integer() })
export type Accepted = Static<typeof Accepted>
