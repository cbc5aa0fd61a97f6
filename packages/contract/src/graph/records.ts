import Type, { type Static } from 'typebox'
import { Uuid } from '../ids.ts'
import { ListOf, Nullable } from '../lists.ts'
import { Timestamp } from '../timestamps.ts'

export const NODE_KINDS = ['storey', 'space', 'element', 'point'] as const
export type NodeKind = (typeof NODE_KINDS)[number]

export const POINT_TYPES = ['SENSOR', 'COMMAND', 'SETPOINT', 'ALARM', 'STATUS', 'PARAMETER'] as const
export const SPACE_STATUSES = ['active', 'vacant', 'out_of_service'] as const

export const ELEMENT_STATUSES = ['active', 'inactive', 'out_of_service'] as const

/** The source system of imported and generated GlobalIds. Clients cannot write external ids of this source system. */
export const IFC_SOURCE = 'ifc'

export const ExternalId = Type.Object({ sourceSystem: Type.String(), externalId: Type.String() })
export type ExternalId = Static<typeof ExternalId>

/** Corners in metres, in the storey's coordinates. An edge joins the last corner to the first. */
export const Polygon = Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }))

/** The fields of the building and of every node. */
export const nodeIdentity = {
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
    ...nodeIdentity,
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
  {
    ...nodeIdentity,
    name: Type.String(),
    index: Type.Integer(),
    elevationM: Nullable(Type.Number()),
    areaSqm: Nullable(Type.Number()),
    polygon: Nullable(Polygon),
  },
  { $id: 'Storey' },
)
export type StoreyRecord = Static<typeof StoreyRecord>

export const SpaceRecord = Type.Object(
  {
    ...nodeIdentity,
    name: Type.String(),
    storeyId: Uuid,
    storey: Type.Object({ id: Uuid, code: Type.String(), name: Type.String(), index: Type.Integer() }),
    spaceTypeSlug: Type.String(),
    spaceType: Type.Object({ slug: Type.String(), name: Type.String() }),
    areaSqm: Nullable(Type.Number()),
    status: Type.Enum([...SPACE_STATUSES]),
    isLeasable: Type.Boolean(),
    capacity: Nullable(Type.Integer()),
    polygon: Nullable(Polygon),
  },
  { $id: 'Space' },
)
export type SpaceRecord = Static<typeof SpaceRecord>

export const ElementRecord = Type.Object(
  {
    ...nodeIdentity,
    name: Type.String(),
    elementType: Type.Object({
      slug: Type.String(),
      ifcClass: Nullable(Type.String()),
      brickClass: Nullable(Type.String()),
    }),
    spaceId: Nullable(Uuid),
    storeyId: Nullable(Uuid),
    status: Type.Enum([...ELEMENT_STATUSES]),
    serves: Type.Array(Uuid, { description: 'Ids of the elements and spaces that this element feeds' }),
  },
  { $id: 'Element' },
)
export type ElementRecord = Static<typeof ElementRecord>

export const PointRecord = Type.Object(
  {
    ...nodeIdentity,
    elementId: Uuid,
    pointType: Type.Enum([...POINT_TYPES]),
    name: Type.String(),
    quantityKind: Type.String(),
    unit: Type.String(),
  },
  { $id: 'Point' },
)
export type PointRecord = Static<typeof PointRecord>

export const BuildingList = ListOf(Type.Ref('Building'))
export const StoreyList = ListOf(Type.Ref('Storey'))
export const SpaceList = ListOf(Type.Ref('Space'))
export const ElementList = ListOf(Type.Ref('Element'))
export const PointList = ListOf(Type.Ref('Point'))
