import Type, { type Static } from 'typebox'
import { closed } from './closed.ts'
import { NodeId } from './ids.ts'
import type { LiveRefusal } from './live.ts'

/**
 * The Socket.IO namespace that reports which data of a building changed. Its paths and sign-in are the live channel's.
 */
export const CHANGES_NAMESPACE = '/changes'

/** Kinds of data. `faults` includes fault rules, `requests` includes comments, `layers` includes layer values. */
export const CHANGE_KINDS = ['graph', 'layers', 'faults', 'changesets', 'requests', 'snapshots'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The one event of the namespace; its second argument is its sequence number. */
export const CHANGED = 'changed'
export const Changed = Type.Object({
  buildingId: Type.String(),
  kinds: Type.Array(Type.Enum([...CHANGE_KINDS])),
})
export type Changed = Static<typeof Changed>

/** `after` is the number of the last event, or of the last `join`, that the client knows. */
export const JoinChanges = Type.Union([
  NodeId,
  Type.Object(
    {
      buildingId: NodeId,
      after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    },
    closed,
  ),
])
export type JoinChanges = Static<typeof JoinChanges>

/**
 * `kinds` has the kinds that changed after the number in `after`. It has all kinds if there was no number, or if the
 * number is too old or from another process. `revision` is the current revision of the graph: a client that has already
 * read it does not need to read the graph again.
 */
export type JoinChangesAnswer =
  | { ok: true; buildingId: string; sequence: number; kinds: readonly ChangeKind[]; revision: number }
  | LiveRefusal
