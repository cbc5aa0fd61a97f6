import Type, { type Static } from 'typebox'
import { closed } from './closed.ts'
import { NodeId } from './ids.ts'
import type { LiveRefusal } from './live.ts'

/**
 * The Socket.IO namespace that reports which data of a building changed. It has the same paths and the same sign-in as
 * the live channel.
 */
export const CHANGES_NAMESPACE = '/changes'

/**
 * Kinds of data. `faults` includes fault rules, `requests` includes comments, `layers` includes layer values,
 * `simulation` includes injected faults, and `webhooks` includes their deliveries. `imports` are imports of building
 * models; an import of rows changes only the graph. `people` are the accounts of the sandbox, reported for every
 * building.
 */
export const CHANGE_KINDS = [
  'graph',
  'layers',
  'faults',
  'changesets',
  'requests',
  'snapshots',
  'imports',
  'simulation',
  'webhooks',
  'people',
] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The only event of the namespace. Its second argument is `{ sequence }`, the number of the event. */
export const CHANGED = 'changed'
export const Changed = Type.Object({
  buildingId: Type.String(),
  kinds: Type.Array(Type.Enum([...CHANGE_KINDS])),
})
export type Changed = Static<typeof Changed>

/** `after` is the last sequence number that the client got, with an event or in the answer to a `join`. */
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
 * `kinds` has the kinds that changed after the sequence number `after`. It has all kinds if the client sent no `after`,
 * or if that number is too old or from another process. `revision` is the current revision of the graph: a client that
 * has already read this revision does not need to read the graph again.
 */
export type JoinChangesAnswer =
  | { ok: true; buildingId: string; sequence: number; kinds: readonly ChangeKind[]; revision: number }
  | LiveRefusal
