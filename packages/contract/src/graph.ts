import Type, { type Static } from 'typebox'
import { LIMITS } from './limits.ts'
import { ListOf, Nullable, PageQuery, pageQuery, Timestamp } from './lists.ts'

const Uuid = Type.String({ format: 'uuid' })

export const NODE_KINDS = ['storey', 'space', 'element', 'point'] as const
export type NodeKind = (typeof NODE_KINDS)[number]

export const POINT_TYPES = ['SENSOR', 'COMMAND', 'SETPOINT', 'ALARM', 'STATUS', 'PARAMETER'] as const
export const SPACE_STATUSES = ['active', 'vacant', 'out_of_service'] as const

const ExternalId = Type.Object({ sourceSystem: Type.String(), externalId: Type.String() })

/** What every node carries, whichever its kind. */
const node = {
  id: Uuid,
  externalId: Nullable(Type.String()),
  externalIds: Type.Array(ExternalId),
  sourceSystem: Nullable(Type.String()),
  code: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

export const Location = Type.Object({ latitude: Type.Number(), longitude: Type.Number() })

export const BuildingRecord = Type.Object(
  {
    ...node,
    name: Type.String(),
    buildingType: Type.String(),
    siteId: Uuid,
    organizationId: Type.String(),
    timezone: Type.String(),
    address: Nullable(Type.String()),
    location: Nullable(Location),
    revision: Type.Integer(),
  },
  { $id: 'Building' },
)
export type BuildingRecord = Static<typeof BuildingRecord>

export const StoreyRecord = Type.Object(
  { ...node, name: Type.String(), index: Type.Integer(), elevationM: Nullable(Type.Number()) },
  { $id: 'Storey' },
)
export type StoreyRecord = Static<typeof StoreyRecord>

export const SpaceRecord = Type.Object(
  {
    ...node,
    name: Type.String(),
    storey: Type.Object({ id: Uuid, code: Type.String(), name: Type.String(), index: Type.Integer() }),
    spaceType: Type.Object({ slug: Type.String(), name: Type.String() }),
    areaSqm: Nullable(Type.Number()),
    status: Type.Enum([...SPACE_STATUSES]),
    isLeasable: Type.Boolean(),
    capacity: Nullable(Type.Integer()),
    polygon: Nullable(Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }))),
  },
  { $id: 'Space' },
)
export type SpaceRecord = Static<typeof SpaceRecord>

export const ElementRecord = Type.Object(
  {
    ...node,
    name: Type.String(),
    elementType: Type.Object({
      slug: Type.String(),
      ifcClass: Nullable(Type.String()),
      brickClass: Nullable(Type.String()),
    }),
    spaceId: Nullable(Uuid),
    storeyId: Nullable(Uuid),
    status: Type.String(),
  },
  { $id: 'Element' },
)
export type ElementRecord = Static<typeof ElementRecord>

export const PointRecord = Type.Object(
  {
    ...node,
    elementId: Uuid,
    pointType: Type.Enum([...POINT_TYPES]),
    name: Type.String(),
    quantityKind: Type.String(),
    unit: Type.String(),
  },
  { $id: 'Point' },
)
export type PointRecord = Static<typeof PointRecord>

const closed = { additionalProperties: false } as const
const GraphPageQuery = pageQuery(LIMITS.graphPageMax)

/** As filters. Stricter than the format `uuid`, which also lets `urn:uuid:` through. */
const UuidFilter = Type.Optional(
  Type.String({ pattern: '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$', description: 'a UUID' }),
)
const SlugFilter = Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,64}$', description: 'a slug of the catalog' }))

export const BuildingParams = Type.Object({ buildingId: Type.String() })
export const NodeParams = Type.Object({ buildingId: Type.String(), id: Type.String() })

/** For a route that takes no query: a parameter it does not know is refused by name. */
export const NoQuery = Type.Object({}, closed)

export const BuildingListQuery = Type.Object(PageQuery, closed)
export const StoreyListQuery = Type.Object(PageQuery, closed)
export const SpaceListQuery = Type.Object(
  {
    ...GraphPageQuery,
    storeyId: UuidFilter,
    spaceTypeSlug: SlugFilter,
    status: Type.Optional(Type.Enum([...SPACE_STATUSES])),
    isLeasable: Type.Optional(Type.Boolean()),
  },
  closed,
)
export type SpaceListQuery = Static<typeof SpaceListQuery>
export const ElementListQuery = Type.Object(
  {
    ...GraphPageQuery,
    storeyId: UuidFilter,
    spaceId: UuidFilter,
    elementTypeSlug: SlugFilter,
  },
  closed,
)
export type ElementListQuery = Static<typeof ElementListQuery>
export const PointListQuery = Type.Object(
  { ...GraphPageQuery, elementId: UuidFilter, pointType: Type.Optional(Type.Enum([...POINT_TYPES])) },
  closed,
)
export type PointListQuery = Static<typeof PointListQuery>

export const BuildingList = ListOf(Type.Ref('Building'))
export const StoreyList = ListOf(Type.Ref('Storey'))
export const SpaceList = ListOf(Type.Ref('Space'))
export const ElementList = ListOf(Type.Ref('Element'))
export const PointList = ListOf(Type.Ref('Point'))
