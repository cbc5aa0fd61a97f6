import Type, { type Static } from 'typebox'
import { closed } from '../closed.ts'
import { Uuid, UuidFilter } from '../ids.ts'
import { LIMITS } from '../limits.ts'
import { ListOf, Nullable, PageQuery, pageQuery } from '../lists.ts'
import { LONG_TEXT, PLAIN_TEXT } from '../text-patterns.ts'
import { Timestamp } from '../timestamps.ts'
import { CHANGE_OPS } from './change-ops.ts'
import { AnyNode, type GraphNode } from './nodes.ts'
import { NODE_KINDS } from './records.ts'

const Moment = Type.String({ minLength: 1, maxLength: 200 })
const MOMENT =
  'a revision, an instant (ISO 8601 with an offset) or the name of a snapshot. A revision has the time at which its change ' +
  'began: while a change such as an import is being written, an instant after its beginning means the revision before it, ' +
  'and afterwards the new one'

export const GRAPH_FORMATS = ['json', 'turtle'] as const
export const GraphQuery = Type.Object(
  {
    at: Type.Optional({ ...Moment, description: `${MOMENT}. The current revision when absent` }),
    format: Type.Optional(
      Type.Enum([...GRAPH_FORMATS], { description: 'When absent, the Accept header decides; json by default' }),
    ),
  },
  closed,
)
export type GraphQuery = Static<typeof GraphQuery>

export const DiffQuery = Type.Object(
  {
    from: { ...Moment, description: MOMENT },
    to: Type.Optional({ ...Moment, description: `${MOMENT}. The current revision when absent` }),
  },
  closed,
)

const change = {
  op: Type.Enum([...CHANGE_OPS]),
  kind: Type.Enum([...NODE_KINDS]),
  nodeId: Uuid,
  before: Nullable(AnyNode),
  after: Nullable(AnyNode),
}

export const NodeChange = Type.Object(change)
export interface NodeChange extends Omit<Static<typeof NodeChange>, 'before' | 'after'> {
  before: GraphNode | null
  after: GraphNode | null
}

export const DiffRecord = Type.Object(
  {
    buildingId: Uuid,
    from: Type.Object({ revision: Type.Integer(), at: Timestamp }),
    to: Type.Object({ revision: Type.Integer(), at: Timestamp }),
    changes: Type.Array(NodeChange),
  },
  { $id: 'Diff' },
)

export const HistoryQuery = Type.Object(
  {
    ...pageQuery(LIMITS.graphPageMax),
    nodeId: UuidFilter,
    kind: Type.Optional(Type.Enum([...NODE_KINDS], { description: 'Returns the changes of nodes of this kind' })),
    changesetId: UuidFilter,
  },
  closed,
)
export type HistoryQuery = Static<typeof HistoryQuery>

const revision = {
  revision: Type.Integer(),
  at: Timestamp,
  actor: Type.String(),
  summary: Type.String(),
  changesetId: Nullable(Uuid),
}
export const HistoryEntry = Type.Object({ ...revision, ...change }, { $id: 'HistoryEntry' })
type WithoutNodes = Omit<Static<typeof HistoryEntry>, 'before' | 'after'>
export interface HistoryEntry extends WithoutNodes {
  before: GraphNode | null
  after: GraphNode | null
}
export const HistoryList = ListOf(Type.Ref('HistoryEntry'))

export const RevisionRecord = Type.Object({ ...revision, changes: Type.Integer() }, { $id: 'Revision' })
export type RevisionRecord = Static<typeof RevisionRecord>
export const RevisionList = ListOf(Type.Ref('Revision'))
export const RevisionListQuery = Type.Object({ ...PageQuery, changesetId: UuidFilter }, closed)
export type RevisionListQuery = Static<typeof RevisionListQuery>

export const NewSnapshot = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, pattern: PLAIN_TEXT, description: 'one line of text' }),
    description: Type.Optional(
      Type.String({
        maxLength: 2000,
        pattern: LONG_TEXT,
        description: 'text without control characters other than line ends and tabs',
      }),
    ),
  },
  closed,
)
export const SnapshotRecord = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    description: Nullable(Type.String()),
    revision: Type.Integer(),
    at: Timestamp,
    createdBy: Type.String(),
    createdAt: Timestamp,
  },
  { $id: 'Snapshot' },
)
export type SnapshotRecord = Static<typeof SnapshotRecord>
export const SnapshotList = ListOf(Type.Ref('Snapshot'))
export const SnapshotListQuery = Type.Object(PageQuery, closed)
