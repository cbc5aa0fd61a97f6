import Type, { type Static } from 'typebox'
import { Uuid } from '../ids.ts'
import { Nullable } from '../lists.ts'
import { Timestamp } from '../timestamps.ts'
import { ELEMENT_STATUSES, type NodeKind, nodeIdentity, PointRecord, SpaceRecord, StoreyRecord } from './records.ts'

// Nodes as graphs, histories, diffs and changesets have them: with the field names of the create bodies, and without
// fields that are derived from other nodes (a space has the id of its storey, not the storey's name). So a change of
// one node does not change others, and applying the diff of two graphs to the first gives exactly the second.
//
// Fields that a node shares with its record, and their values, such as the types of points, are in `records.ts`.

/** Storeys and points have no derived fields, so they are equal to their records. */
export const StoreyNode = Type.Object(StoreyRecord.properties, { $id: 'StoreyNode' })
export type StoreyNode = Static<typeof StoreyNode>

export const PointNode = Type.Object(PointRecord.properties, { $id: 'PointNode' })
export type PointNode = Static<typeof PointNode>

const { storey: _storey, spaceType: _spaceType, ...spaceFields } = SpaceRecord.properties
export const SpaceNode = Type.Object(spaceFields, { $id: 'SpaceNode' })
export type SpaceNode = Static<typeof SpaceNode>

export const ElementNode = Type.Object(
  {
    ...nodeIdentity,
    spaceId: Nullable(Uuid),
    storeyId: Type.Union([Uuid, Type.Null()], {
      description: 'Null for an element in a space: the element is on the storey of its space',
    }),
    name: Type.String(),
    elementTypeSlug: Type.String(),
    status: Type.Enum([...ELEMENT_STATUSES]),
    serves: Type.Array(Uuid),
  },
  { $id: 'ElementNode' },
)
export type ElementNode = Static<typeof ElementNode>

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
  /** When the revision was created. */
  at: string
  storeys: StoreyNode[]
  spaces: SpaceNode[]
  elements: ElementNode[]
  points: PointNode[]
}
