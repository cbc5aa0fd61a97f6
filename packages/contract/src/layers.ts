import Type, { type Static, type TSchema } from 'typebox'
import { closed } from './closed.ts'
import { NodeId, pathId, Uuid } from './ids.ts'
import { LIMITS } from './limits.ts'
import { ListOf, Nullable, PageQuery, pageLimit } from './lists.ts'
import { LONG_TEXT, PLAIN_TEXT } from './text-patterns.ts'
import { Timestamp } from './timestamps.ts'

const { layer } = LIMITS

/** Makes a schema nullable, for bodies. A union with null would report each violation once for each of its branches. */
const orNull = <T extends TSchema & { type: string }>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] })

export const LAYER_VALUE_TYPES = ['NUMBER', 'STRING', 'BOOLEAN', 'ENUM'] as const
export const LayerValueType = Type.Enum([...LAYER_VALUE_TYPES])
export type LayerValueType = Static<typeof LayerValueType>

export type LayerValue = number | string | boolean
const value = (description: string) => Type.Unsafe<LayerValue>({ type: ['number', 'string', 'boolean'], description })

export const LAYER_KEY_PATTERN = '^[a-z0-9][a-z0-9-]{1,62}$'
const Key = Type.String({
  pattern: LAYER_KEY_PATTERN,
  description: 'a slug of 2 to 63 lower-case letters, digits and hyphens that does not begin with a hyphen',
})
const Name = Type.String({
  minLength: 1,
  maxLength: layer.nameLength,
  pattern: PLAIN_TEXT,
  description: 'one line of text',
})
const Description = orNull(
  Type.String({
    maxLength: layer.descriptionLength,
    pattern: LONG_TEXT,
    description: 'text without control characters other than line ends and tabs',
  }),
)

/** A legend entry: either one value, or a range of numbers including both ends. */
export const LegendEntry = Type.Object(
  {
    value: Type.Optional(value('The value that the entry describes, of the type of the layer')),
    min: Type.Optional(
      Type.Number({ description: 'The smallest number that the entry describes; only with max, in NUMBER layers' }),
    ),
    max: Type.Optional(
      Type.Number({ description: 'The largest number that the entry describes; only with min, in NUMBER layers' }),
    ),
    label: Type.String({
      minLength: 1,
      maxLength: layer.labelLength,
      pattern: PLAIN_TEXT,
      description: 'one line of text',
    }),
    color: Type.String({
      maxLength: 32,
      description: 'A hexadecimal colour, such as #0a8, #00aa88 or #00aa88ff, or a colour name of CSS',
    }),
  },
  closed,
)
export type LegendEntry = Static<typeof LegendEntry>
const Legend = orNull(Type.Array(LegendEntry, { maxItems: layer.legendEntries }))

const ValueSchema = Type.Unknown({
  description:
    'A JSON Schema that every value must match: draft-07, or 2020-12 if $schema names that version; ' +
    `at most ${layer.valueSchemaBytes} bytes. ` +
    'References must point inside the document, patterns are written in the syntax of RE2 (no lookaround and no ' +
    'backreferences), and formats are date, time, date-time, duration, uuid, email, uri and ipv4.',
})
const Metadata = Type.Unsafe<Record<string, unknown> | null>({
  type: ['object', 'null'],
  description: `Any object, at most ${layer.metadataBytes} bytes of JSON`,
})

const changeable = {
  name: Name,
  description: Type.Optional(Description),
  valueSchema: Type.Optional(ValueSchema),
  legend: Type.Optional(Legend),
  metadata: Type.Optional(Metadata),
}

export const NewDataLayer = Type.Object({ key: Key, valueType: LayerValueType, ...changeable }, closed)
export type NewDataLayer = Static<typeof NewDataLayer>

export const DataLayerPatch = Type.Partial(
  Type.Object({
    ...changeable,
    valueType: Type.Unknown({
      description: 'The value type of a layer cannot change: only the current one is accepted',
    }),
  }),
  { ...closed, minProperties: 1 },
)
export type DataLayerPatch = Static<typeof DataLayerPatch>

export const DataLayer = Type.Object(
  {
    id: Uuid,
    key: Key,
    name: Type.String(),
    description: Nullable(Type.String()),
    valueType: LayerValueType,
    valueSchema: Type.Unknown({ description: 'The JSON Schema as it was sent, or null' }),
    legend: Legend,
    metadata: Metadata,
    valueCount: Type.Integer({ description: 'Number of rooms that have a value' }),
    valuesUpdatedAt: Nullable({
      ...Timestamp,
      description: 'Time of the last upload that wrote or deleted values',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'DataLayer' },
)
export type DataLayer = Static<typeof DataLayer>
export const DataLayerList = ListOf(Type.Ref('DataLayer'))
export const DataLayerListQuery = Type.Object(PageQuery, closed)
export const LayerParams = Type.Object({ buildingId: pathId('building'), layerId: pathId('layer') })

export const LAYER_KEYINGS = ['externalId', 'id'] as const
export const ValuesUpload = Type.Object(
  {
    keyBy: Type.Optional(
      Type.Enum([...LAYER_KEYINGS], {
        description: 'Whether values are keyed by external ids of rooms (default) or by ids',
      }),
    ),
    replace: Type.Optional(
      Type.Boolean({ description: 'Whether all values of the layer are deleted first; default false' }),
    ),
    // `upload-values.ts` of the platform checks the number of identifiers, and applies the default of `keyBy`.
    values: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: `Values by identifier, at most ${layer.identifiers}. If two identifiers match one room, the last value is stored.`,
    }),
  },
  closed,
)
export type ValuesUpload = Static<typeof ValuesUpload>

export const NO_MATCH_REASONS = [
  'BUILDING_HAS_NO_SPACES',
  'BUILDING_HAS_NO_EXTERNAL_IDS',
  'IDENTIFIERS_NOT_IN_BUILDING',
] as const
export type NoMatchReason = (typeof NO_MATCH_REASONS)[number]

export const UploadResult = Type.Object(
  {
    written: Type.Integer({ description: 'Number of rooms whose value was written' }),
    matched: Type.Integer({ description: 'Number of identifiers that match a room' }),
    unmatched: Type.Array(Type.String(), { description: 'Identifiers that match no room, in the order of the upload' }),
    deleted: Type.Integer({ description: 'Number of values that were deleted because of `replace`' }),
    diagnostics: Type.Optional(Type.Object({ reason: Type.Enum([...NO_MATCH_REASONS]) })),
  },
  { $id: 'UploadResult' },
)
export type UploadResult = Static<typeof UploadResult>

export const LayerValueRecord = Type.Object(
  {
    entityId: NodeId,
    externalId: Nullable(Type.String({ description: 'The first external id of the room' })),
    value: value('The value of the room, of the type of the layer'),
    updatedAt: Timestamp,
  },
  { $id: 'LayerValue' },
)
export type LayerValueRecord = Static<typeof LayerValueRecord>
export const LayerValueList = ListOf(Type.Ref('LayerValue'))

const Compared = (word: string) =>
  Type.Optional(Type.String({ description: `Returns the values ${word} this number; in NUMBER layers only` }))

export const LayerValuesQuery = Type.Object(
  {
    ...PageQuery,
    limit: pageLimit(layer.valuesPage),
    eq: Type.Optional(
      Type.String({
        description: 'Returns the values equal to this one, which is parsed as a value of the type of the layer',
      }),
    ),
    gt: Compared('above'),
    gte: Compared('not below'),
    lt: Compared('below'),
    lte: Compared('not above'),
    in: Type.Optional(Type.String({ description: 'The same as `eq`, with one value; a list with commas is refused' })),
  },
  closed,
)
export type LayerValuesQuery = Static<typeof LayerValuesQuery>

const LegendEntryInForce = Type.Object({
  ...LegendEntry.properties,
  color: Type.String(),
  label: Type.String(),
  count: Type.Integer({
    description: 'Number of values in the entry; a value counts for the first entry that contains it',
  }),
})
export type LegendEntryInForce = Static<typeof LegendEntryInForce>
export const LegendInForce = Type.Object(
  { source: Type.Enum(['explicit', 'derived']), entries: Type.Array(LegendEntryInForce) },
  { $id: 'LegendInForce' },
)
export type LegendInForce = Static<typeof LegendInForce>
