import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../lists.ts'
import { ELEMENT_STATUSES, type NodeKind, nodeIdentity, POINT_TYPES, Polygon, SPACE_STATUSES, Uuid } from './records.ts'

/**
 * A node by itself, as graphs, histories, diffs and changesets tell it: what was written, under the names of the create
 * bodies, and nothing that another node says (a space names its storey by id). So a change of one node is a change of
 * one node, and a diff laid on a graph gives the other graph.
 */

export const StoreyNode = Type.Object(
  {
    ...nodeIdentity,
    name: Type.String(),
    index: Type.Integer(),
    elevationM: Nullable(Type.Number()),
    areaSqm: Nullable(Type.Number()),
    polygon: Nullable(Polygon),
  },
  { $id: 'StoreyNode' },
)
export type StoreyNode = Static<typeof StoreyNode>

export const SpaceNode = Type.Object(
  {
    ...nodeIdentity,
    storeyId: Uuid,
    name: Type.String(),
    spaceTypeSlug: Type.String(),
    areaSqm: Nullable(Type.Number()),
    status: Type.Enum([...SPACE_STATUSES]),
    isLeasable: Type.Boolean(),
    capacity: Nullable(Type.Integer()),
    polygon: Nullable(Polygon),
  },
  { $id: 'SpaceNode' },
)
export type SpaceNode = Static<typeof SpaceNode>

export const ElementNode = Type.Object(
  {
    ...nodeIdentity,
    spaceId: Nullable(Uuid),
    storeyId: Type.Union([Uuid, Type.Null()], { description: 'Null for one in a space: its storey is the space’s' }),
    name: Type.String(),
    elementTypeSlug: Type.String(),
    status: Type.Enum([...ELEMENT_STATUSES]),
    serves: Type.Array(Uuid),
  },
  { $id: 'ElementNode' },
)
export type ElementNode = Static<typeof ElementNode>

export const PointNode = Type.Object(
  {
    ...nodeIdentity,
    elementId: Uuid,
    name: Type.String(),
    pointType: Type.Enum([...POINT_TYPES]),
    quantityKind: Type.String(),
    unit: Type.String(),
  },
  { $id: 'PointNode' },
)
export type PointNode = Static<typeof PointNode>

export interface NodeOf {
  storey: StoreyNode
  space: SpaceNode
  element: ElementNode
  point: PointNode
}
export type GraphNode = NodeOf[NodeKind]

export const NODE_SCHEMAS = [StoreyNode, SpaceNode, ElementNode, PointNode] as const

export const AnyNode = Type.Union(['StoreyNode', 'SpaceNode', 'ElementNode', 'PointNode'].map((id) => Type.Ref(id)))

export const Graph = Type.Object(
  {
    buildingId: Uuid,
    revision: Type.Integer(),
    at: Timestamp,
    storeys: Type.Array(Type.Ref('StoreyNode')),
    spaces: Type.Array(Type.Ref('SpaceNode')),
    elements: Type.Array(Type.Ref('ElementNode')),
    points: Type.Array(Type.Ref('PointNode')),
  },
  { $id: 'Graph' },
)

/** The whole graph of a building at one revision. */
export interface Graph {
  buildingId: string
  revision: number
  /** When the revision came to be. */
  at: string
  storeys: StoreyNode[]
  spaces: SpaceNode[]
  elements: ElementNode[]
  points: PointNode[]
}
