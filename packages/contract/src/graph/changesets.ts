import Type, { type Static } from 'typebox'
import { closed } from '../closed.ts'
import { NodeId, Uuid } from '../ids.ts'
import { LIMITS } from '../limits.ts'
import { ListOf, Nullable, PageQuery } from '../lists.ts'
import { LONG_TEXT, PLAIN_TEXT } from '../text-patterns.ts'
import { Timestamp } from '../timestamps.ts'
import { CHANGE_OPS } from './change-ops.ts'
import { CHANGESET_STATES } from './changeset-steps.ts'
import { DiffRecord } from './history.ts'
import { NODE_KINDS } from './records.ts'

/**
 * `data` is the body that creates a node of this kind, or the fields to update. `read-operations.ts` of the platform
 * validates it with the schema of the kind.
 */
export const Operation = Type.Object(
  {
    op: Type.Enum([...CHANGE_OPS]),
    kind: Type.Enum([...NODE_KINDS]),
    id: Type.Optional(NodeId),
    data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  closed,
)
export type Operation = Static<typeof Operation>
/** An operation as a changeset stores it. Every node has an id, even one that does not exist yet. */
export type StoredOperation = Operation & { id: string }

const draft = {
  title: Type.String({ minLength: 1, maxLength: 200, pattern: PLAIN_TEXT, description: 'one line of text' }),
  description: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 10_000,
        pattern: LONG_TEXT,
        description: 'text without control characters other than line ends and tabs',
      }),
    ),
  ),
  operations: Type.Array(Operation, { minItems: 1, maxItems: LIMITS.changesetOperations }),
}
export const NewChangeset = Type.Object(draft, closed)
export type NewChangeset = Static<typeof NewChangeset>
export const ChangesetPatch = Type.Partial(Type.Object(draft), { ...closed, minProperties: 1 })
export type ChangesetPatch = Static<typeof ChangesetPatch>

const Comment = Type.Optional(
  Nullable(
    Type.String({
      maxLength: 2000,
      pattern: LONG_TEXT,
      description: 'text without control characters other than line ends and tabs',
    }),
  ),
)
export const Review = Type.Object({ decision: Type.Enum(['approve', 'reject']), comment: Comment }, closed)
export type Review = Static<typeof Review>
/** Submit, apply and revert need no body. A comment is stored in the `trail` of the changeset. */
export const StepBody = Type.Unsafe<{ comment?: string | null } | null>({
  ...Type.Object({ comment: Comment }, closed),
  type: ['object', 'null'],
})

export const CHANGESET_ACTIONS = ['create', 'change', 'submit', 'approve', 'reject', 'apply', 'revert'] as const
export type ChangesetAction = (typeof CHANGESET_ACTIONS)[number]

const summary = {
  id: Uuid,
  title: Type.String(),
  description: Nullable(Type.String()),
  state: Type.Enum([...CHANGESET_STATES]),
  author: Type.String(),
  reviewer: Nullable(Type.String()),
  operationCount: Type.Integer(),
  baseRevision: Type.Integer({ description: 'The revision of the graph for which the operations were written' }),
  appliedRevision: Nullable(Type.Integer()),
  revertedRevision: Nullable(Type.Integer()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}
export const ChangesetSummary = Type.Object(summary, { $id: 'ChangesetSummary' })
export type ChangesetSummary = Static<typeof ChangesetSummary>

export const ChangesetRecord = Type.Object(
  {
    ...summary,
    operations: Type.Array(Operation),
    trail: Type.Array(
      Type.Object({
        at: Timestamp,
        actor: Type.String(),
        action: Type.Enum([...CHANGESET_ACTIONS]),
        comment: Nullable(Type.String()),
        revision: Nullable(Type.Integer()),
      }),
    ),
  },
  { $id: 'Changeset' },
)
export type ChangesetRecord = Static<typeof ChangesetRecord>

export const ChangesetDiff = Type.Object(
  {
    state: Type.Enum([...CHANGESET_STATES]),
    baseRevision: Type.Integer(),
    changes: DiffRecord.properties.changes,
    conflicts: Type.Array(Uuid, {
      description:
        'Nodes that prevent the changeset from being applied: they were changed or removed since baseRevision, or ' +
        'are in use',
    }),
  },
  { $id: 'ChangesetDiff' },
)
export const ChangesetList = ListOf(Type.Ref('ChangesetSummary'))
export const ChangesetListQuery = Type.Object(
  {
    ...PageQuery,
    state: Type.Optional(Type.Enum([...CHANGESET_STATES], { description: 'Returns the changesets in this state' })),
  },
  closed,
)
export type ChangesetListQuery = Static<typeof ChangesetListQuery>
