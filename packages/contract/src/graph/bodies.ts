// The request bodies with which clients create and change nodes. A record has more fields: the id, the times, all
// external ids, and details of its storey or type.

import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { closed } from '../closed.ts'
import { NodeId } from '../ids.ts'
import { LIMITS } from '../limits.ts'
import { Nullable } from '../lists.ts'
import { PLAIN_TEXT } from '../text-patterns.ts'
import { ELEMENT_STATUSES, type NodeKind, POINT_TYPES, SPACE_STATUSES } from './records.ts'

const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: PLAIN_TEXT, description })

const Name = text(LIMITS.node.nameLength, 'one line of text')
const Code = text(LIMITS.node.codeLength, 'one line of text')
export const SourceSystem = text(LIMITS.node.sourceSystemLength, 'one line of text')
export const ExternalIdText = text(LIMITS.node.externalIdLength, 'one line of text')
const Slug = Type.String({ minLength: 1, maxLength: 64, description: 'a slug of the catalog' })
const Area = Type.Number({ minimum: 0, maximum: LIMITS.node.areaSqmMax })

const Coordinate = Type.Number({ minimum: -LIMITS.node.coordinateMax, maximum: LIMITS.node.coordinateMax })
const NewPolygon = Type.Array(Type.Array(Coordinate, { minItems: 2, maxItems: 2 }), {
  minItems: 3,
  maxItems: LIMITS.node.polygonCorners,
  description: 'corners as [x, y] in metres, in the coordinates of the storey',
})

const optional = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))

/** The first external id of a node, in the body that creates it. Further external ids are added one by one. */
const firstExternalId = { externalId: Type.Optional(ExternalIdText), sourceSystem: Type.Optional(SourceSystem) }

const storeyFields = {
  name: Name,
  index: Type.Integer({
    minimum: -1000,
    maximum: 10_000,
    description: 'position in the order of storeys; 0 is the ground storey',
  }),
  elevationM: optional(Type.Number({ minimum: -LIMITS.node.elevationMMax, maximum: LIMITS.node.elevationMMax })),
  areaSqm: optional(Area),
  polygon: optional(NewPolygon),
  code: Type.Optional(Code),
}

const spaceFields = {
  storeyId: NodeId,
  name: Name,
  spaceTypeSlug: Slug,
  areaSqm: optional(Area),
  status: Type.Optional(Type.Enum([...SPACE_STATUSES])),
  isLeasable: Type.Optional(Type.Boolean()),
  capacity: optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  polygon: optional(NewPolygon),
  code: Type.Optional(Code),
}

const elementFields = {
  name: Name,
  elementTypeSlug: Slug,
  spaceId: optional(NodeId),
  storeyId: optional(NodeId),
  status: Type.Optional(Type.Enum([...ELEMENT_STATUSES])),
  serves: Type.Optional(
    Type.Array(NodeId, {
      maxItems: LIMITS.node.serves,
      description: 'ids of the elements and spaces that this element feeds',
    }),
  ),
  code: Type.Optional(Code),
}

const pointFields = {
  elementId: NodeId,
  pointType: Type.Enum([...POINT_TYPES]),
  name: Name,
  quantityKind: Type.String({ minLength: 1, maxLength: 64, description: 'a QUDT quantity kind of the catalog' }),
  unit: Type.String({ minLength: 1, maxLength: 64, description: 'a QUDT unit that fits the quantity kind' }),
  code: Type.Optional(Code),
}

export const NewStorey = Type.Object({ ...storeyFields, ...firstExternalId }, closed)
export const NewSpace = Type.Object({ ...spaceFields, ...firstExternalId }, closed)
export const NewElement = Type.Object({ ...elementFields, ...firstExternalId }, closed)
export const NewPoint = Type.Object({ ...pointFields, ...firstExternalId }, closed)
export type NewStorey = Static<typeof NewStorey>
export type NewSpace = Static<typeof NewSpace>
export type NewElement = Static<typeof NewElement>
export type NewPoint = Static<typeof NewPoint>

const patch = { ...closed, minProperties: 1 }
export const StoreyPatch = Type.Partial(Type.Object(storeyFields), patch)
export const SpacePatch = Type.Partial(Type.Object(spaceFields), patch)
export const ElementPatch = Type.Partial(Type.Object(elementFields), patch)
export const PointPatch = Type.Partial(Type.Object(pointFields), patch)
export type StoreyPatch = Static<typeof StoreyPatch>
export type SpacePatch = Static<typeof SpacePatch>
export type ElementPatch = Static<typeof ElementPatch>
export type PointPatch = Static<typeof PointPatch>

export interface NewNode {
  storey: NewStorey
  space: NewSpace
  element: NewElement
  point: NewPoint
}
export interface NodePatch {
  storey: StoreyPatch
  space: SpacePatch
  element: ElementPatch
  point: PointPatch
}

/** The schema of the body that creates a node, by kind, for routes that accept any kind. */
export const NEW_NODES: Record<NodeKind, TObject> = {
  storey: NewStorey,
  space: NewSpace,
  element: NewElement,
  point: NewPoint,
}
export const NODE_PATCHES: Record<NodeKind, TSchema> = {
  storey: StoreyPatch,
  space: SpacePatch,
  element: ElementPatch,
  point: PointPatch,
}

export const NewExternalId = Type.Object({ sourceSystem: SourceSystem, externalId: ExternalIdText }, closed)
export type NewExternalId = Static<typeof NewExternalId>
